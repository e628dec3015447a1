// How nice a thread is: Linux keeps it for each thread. No thread may become less nice again, since that needs a privilege.
#define _GNU_SOURCE
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

void __selvedge_unsupported(const char *what);

// A new thread is as nice as its creator. So a thread whose own value is not known has 0 only if nobody has changed his.
static _Thread_local int value, is_set;
static _Atomic int changed;

static void known(void)
{
    if (!is_set && changed)
        __selvedge_unsupported("the priority of a thread after another one has changed its own");
}

static int set(int wanted)
{
    if (wanted != value)
        changed = is_set = 1;
    return value = wanted;
}

static int is_own(__priority_which_t which, id_t who)
{
    if (which != PRIO_PROCESS && which != PRIO_PGRP && which != PRIO_USER)
    {
        errno = EINVAL;
        return 0;
    }
    if (which != PRIO_PROCESS || (who != 0 && who != (id_t)getpid()))
        __selvedge_unsupported("a priority of other processes or threads");
    known();
    return 1;
}

int getpriority(__priority_which_t which, id_t who) { return is_own(which, who) ? value : -1; }

int setpriority(__priority_which_t which, id_t who, int wanted)
{
    if (!is_own(which, who))
        return -1;
    wanted = wanted < -20 ? -20 : wanted > 19 ? 19 : wanted;
    if (wanted < value)
    {
        errno = EACCES;
        return -1;
    }
    set(wanted);
    return 0;
}

int nice(int more)
{
    known();
    int wanted = value + (more < -40 ? -40 : more > 40 ? 40 : more);
    wanted = wanted < -20 ? -20 : wanted > 19 ? 19 : wanted;
    if (wanted < value)
    {
        errno = EPERM;
        return -1;
    }
    return set(wanted);
}
