// Memory stays where it is, and what a program says about its use of it has no effect.
#include <stddef.h>
#include <sys/mman.h>

int mlock(const void *from, size_t size)
{
    (void)from, (void)size;
    return 0;
}

int munlock(const void *from, size_t size)
{
    (void)from, (void)size;
    return 0;
}

int mlockall(int flags)
{
    (void)flags;
    return 0;
}

int munlockall(void) { return 0; }

int posix_madvise(void *from, size_t size, int advice)
{
    (void)from, (void)size, (void)advice;
    return 0;
}
