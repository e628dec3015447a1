// Limits of the process. They are those of getrlimit, which is a model of the machine, and do not change.
#define _GNU_SOURCE
#include <errno.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

void __selvedge_unsupported(const char *what);

static int set(__rlimit_resource_t resource, const struct rlimit *wanted)
{
    struct rlimit now;
    if (getrlimit(resource, &now))
        return -1;
    if (wanted->rlim_cur > wanted->rlim_max)
    {
        errno = EINVAL;
        return -1;
    }
    if (wanted->rlim_max > now.rlim_max)
    {
        errno = EPERM;
        return -1;
    }
    if (wanted->rlim_cur != now.rlim_cur || wanted->rlim_max != now.rlim_max)
        __selvedge_unsupported("a change of a limit of the process");
    return 0;
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *wanted)
{
    return set(resource, wanted);
}

int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *wanted)
{
    struct rlimit same = {wanted->rlim_cur, wanted->rlim_max};
    return set(resource, &same);
}

// What the process has used: nothing that could be measured.
int getrusage(__rusage_who_t who, struct rusage *usage)
{
    if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
    {
        errno = EINVAL;
        return -1;
    }
    *usage = (struct rusage){0};
    return 0;
}

int clock_getcpuclockid(pid_t process, clockid_t *clock)
{
    if (process < 0)
        return ESRCH;
    if (process != 0 && process != getpid())
        __selvedge_unsupported("the clock of another process");
    *clock = CLOCK_PROCESS_CPUTIME_ID;
    return 0;
}
