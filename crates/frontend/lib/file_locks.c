// Locks of ranges of files between processes. There is no other process, and a process never stands in its own way.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

int lockf(int fd, int command, off_t length)
{
    (void)length;
    if (command == F_LOCK)
        pthread_testcancel();
    if (command != F_TEST && command != F_ULOCK && command != F_LOCK && command != F_TLOCK)
    {
        errno = EINVAL;
        return -1;
    }
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -1;
    if ((command == F_LOCK || command == F_TLOCK) && (flags & O_ACCMODE) == O_RDONLY)
    {
        errno = EBADF;
        return -1;
    }
    return 0;
}

int lockf64(int fd, int command, off_t length) { return lockf(fd, command, length); }
