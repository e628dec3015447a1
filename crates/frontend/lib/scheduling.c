// Scheduling policies: every thread has SCHED_OTHER, whose only priority is 0. A change to another policy is refused, as it is to
// a process without privileges.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

void __selvedge_unsupported(const char *what);
// 0; a fault if there is no such thread any more.
int __selvedge_exists(pthread_t thread);

static void check(pthread_t thread)
{
    if (!pthread_equal(thread, pthread_self()))
        __selvedge_exists(thread);
}

// The error of a change to a policy and priority; 0 if it changes nothing.
static int refused(int policy, int priority)
{
    switch (policy)
    {
    case SCHED_OTHER: return priority == 0 ? 0 : EINVAL;
    case SCHED_FIFO:
    case SCHED_RR: return priority >= 1 && priority <= 99 ? EPERM : EINVAL;
    case SCHED_BATCH:
    case SCHED_IDLE: __selvedge_unsupported("a scheduling policy that POSIX does not have"); return EINVAL;
    default: return EINVAL;
    }
}

static int by_errno(int error)
{
    if (error)
        errno = error;
    return error ? -1 : 0;
}

static void own(pid_t process)
{
    if (process != 0 && process != getpid())
        __selvedge_unsupported("the scheduling of another process");
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameters)
{
    check(thread);
    *policy = SCHED_OTHER;
    parameters->sched_priority = 0;
    return 0;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters)
{
    check(thread);
    return refused(policy, parameters->sched_priority);
}

int pthread_setschedprio(pthread_t thread, int priority)
{
    check(thread);
    return refused(SCHED_OTHER, priority);
}

int sched_get_priority_min(int policy)
{
    if (policy == SCHED_FIFO || policy == SCHED_RR)
        return 1;
    return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE ? 0 : by_errno(EINVAL);
}

int sched_get_priority_max(int policy)
{
    if (policy == SCHED_FIFO || policy == SCHED_RR)
        return 99;
    return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE ? 0 : by_errno(EINVAL);
}

int sched_getscheduler(pid_t process)
{
    own(process);
    return SCHED_OTHER;
}

int sched_getparam(pid_t process, struct sched_param *parameters)
{
    own(process);
    parameters->sched_priority = 0;
    return 0;
}

int sched_setparam(pid_t process, const struct sched_param *parameters)
{
    own(process);
    return by_errno(refused(SCHED_OTHER, parameters->sched_priority));
}

int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameters)
{
    own(process);
    return by_errno(refused(policy, parameters->sched_priority));
}

// Set once some thread may not run on each processor.
int __selvedge_is_bound;

// A thread may be bound to any processors of which the machine has one. Where it runs then makes no difference. To which it is
// bound is not kept (machine.c).
static int bound(size_t size, const cpu_set_t *set)
{
    long count = sysconf(_SC_NPROCESSORS_CONF), chosen = 0;
    for (long i = 0; i < count; i++)
        chosen += CPU_ISSET_S(i, size, set) != 0;
    if (chosen == 0)
        return EINVAL;
    if (chosen < count)
        __atomic_store_n(&__selvedge_is_bound, 1, __ATOMIC_SEQ_CST);
    return 0;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
    check(thread);
    return bound(size, set);
}

// Of threads to be created. What glibc refuses at their creation is refused by name.
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set)
{
    (void)attributes;
    if (size > 0 && bound(size, set))
        __selvedge_unsupported("threads that are bound to no processor");
    return 0;
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set)
{
    own(process);
    return by_errno(bound(size, set));
}
