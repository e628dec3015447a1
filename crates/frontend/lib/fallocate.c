// posix_fallocate: a file gets at least this length.
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int posix_fallocate(int fd, off_t offset, off_t length)
{
    struct stat status;
    off_t end;
    int before = errno, mode = fcntl(fd, F_GETFL), error = 0;
    if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY)
        error = EBADF;
    else if (offset < 0 || length <= 0)
        error = EINVAL;
    else if (fstat(fd, &status) || S_ISFIFO(status.st_mode))
        error = ESPIPE;
    else if (!S_ISREG(status.st_mode))
        error = ENODEV;
    else if (__builtin_add_overflow(offset, length, &end))
        error = EFBIG;
    else if (end > status.st_size && ftruncate(fd, end))
        error = errno;
    errno = before;
    return error;
}

int posix_fallocate64(int fd, off_t offset, off_t length) { return posix_fallocate(fd, offset, length); }
