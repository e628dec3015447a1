// Memory stays where it is, and what a program says about its use of it has no effect. What is mapped for reading has nothing that
// would have to be written to its file.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
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

int msync(void *from, size_t size, int flags)
{
    (void)size;
    int how = flags & (MS_ASYNC | MS_SYNC);
    if (flags & ~(MS_ASYNC | MS_SYNC | MS_INVALIDATE) || how == (MS_ASYNC | MS_SYNC) || (uintptr_t)from % 4096) {
        errno = EINVAL;
        return -1;
    }
    return 0;
}
