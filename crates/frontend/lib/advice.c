// Advice about files and memory, which changes nothing that a program can see.
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int posix_fadvise(int fd, off_t offset, off_t length, int advice)
{
    (void)offset;
    int before = errno;
    if (lseek(fd, 0, SEEK_CUR) < 0)
    {
        int error = errno; // EBADF, or ESPIPE
        errno = before;
        return error;
    }
    return length < 0 || advice < POSIX_FADV_NORMAL || advice > POSIX_FADV_NOREUSE ? EINVAL : 0;
}

int posix_fadvise64(int fd, off_t offset, off_t length, int advice) { return posix_fadvise(fd, offset, length, advice); }
