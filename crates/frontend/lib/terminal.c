// There are no terminals.
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

char *ttyname(int fd)
{
    (void)isatty(fd);
    return NULL;
}

int ttyname_r(int fd, char *name, size_t room)
{
    int before = errno;
    (void)name;
    if (room < sizeof "/dev/pts/")
        return ERANGE;
    (void)isatty(fd);
    int error = errno; // EBADF, or ENOTTY
    errno = before;
    return error;
}
