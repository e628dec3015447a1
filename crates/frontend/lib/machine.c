// The machine that the program runs on, as sysconf has it: its processors, its memory.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

void __selvedge_unsupported(const char *what);

extern int __selvedge_is_bound; // scheduling.c

// A thread may run on each processor that there is.
static int processors(size_t size, cpu_set_t *set)
{
    if (__atomic_load_n(&__selvedge_is_bound, __ATOMIC_SEQ_CST))
        __selvedge_unsupported("the processors of a thread after threads were bound to some");
    long count = sysconf(_SC_NPROCESSORS_CONF);
    if (size < 8)
        return EINVAL;
    memset(set, 0, size);
    for (long i = 0; i < count; i++)
        CPU_SET_S(i, size, set);
    return 0;
}

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set)
{
    if (thread != 0 && thread != getpid())
        __selvedge_unsupported("sched_getaffinity of another thread");
    int error = processors(size, set);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
    (void)thread;
    return processors(size, set);
}

// Without a set of its own, a thread may run on each processor that there could be.
int pthread_attr_getaffinity_np(const pthread_attr_t *attributes, size_t size, cpu_set_t *set)
{
    (void)attributes;
    if (__atomic_load_n(&__selvedge_is_bound, __ATOMIC_SEQ_CST))
        __selvedge_unsupported("the processors of a thread after threads were bound to some");
    memset(set, 0xff, size);
    return 0;
}

int __sched_cpucount(size_t size, const cpu_set_t *set)
{
    int count = 0;
    for (size_t i = 0; i < size / sizeof set->__bits[0]; i++)
        for (__cpu_mask bits = set->__bits[i]; bits; bits &= bits - 1)
            count++;
    return count;
}

int sysinfo(struct sysinfo *info)
{
    memset(info, 0, sizeof *info);
    info->mem_unit = (unsigned)sysconf(_SC_PAGESIZE);
    info->totalram = (unsigned long)sysconf(_SC_PHYS_PAGES);
    info->freeram = (unsigned long)sysconf(_SC_AVPHYS_PAGES);
    info->procs = 1;
    return 0;
}

const char *gnu_get_libc_version(void) { return "2.36"; }

const char *gnu_get_libc_release(void) { return "stable"; }
