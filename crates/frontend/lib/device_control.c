// ioctl: what it does of descriptors and of the bytes that can be read. What is for terminals fails with ENOTTY, since there is none.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

void __selvedge_unsupported(const char *what);
// How many bytes of a pipe or socket could be read at once; -1 with errno set.
long __selvedge_readable(int fd);

static int changed(int fd, int get, int set, int flag, int on)
{
    int flags = fcntl(fd, get);
    return flags < 0 ? -1 : fcntl(fd, set, on ? flags | flag : flags & ~flag);
}

static int readable(int fd, int *to)
{
    struct stat status;
    if (fstat(fd, &status))
        return -1;
    if (S_ISREG(status.st_mode))
    {
        *to = (int)(status.st_size - lseek(fd, 0, SEEK_CUR));
        return 0;
    }
    if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))
        __selvedge_unsupported("FIONREAD of what is neither a file nor a pipe nor a socket");
    long count = __selvedge_readable(fd);
    if (count < 0)
        return -1;
    *to = (int)count;
    return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
    int *with = NULL;
    if (request == FIONBIO || request == FIONREAD) // others need not have a third argument
    {
        va_list values;
        va_start(values, request);
        with = va_arg(values, int *);
        va_end(values);
    }
    switch (request)
    {
    case FIONBIO: return changed(fd, F_GETFL, F_SETFL, O_NONBLOCK, *with);
    case FIOCLEX: return changed(fd, F_GETFD, F_SETFD, FD_CLOEXEC, 1);
    case FIONCLEX: return changed(fd, F_GETFD, F_SETFD, FD_CLOEXEC, 0);
    case FIONREAD: return readable(fd, with);
    case TCGETS:
    case TCSETS:
    case TCSETSW:
    case TCSETSF:
    case TCFLSH:
    case TCSBRK:
    case TIOCGWINSZ:
    case TIOCSWINSZ:
    case TIOCGPGRP:
    case TIOCSPGRP:
    case TIOCSCTTY:
    case TIOCNOTTY: (void)isatty(fd); return -1;
    }
    char what[48];
    snprintf(what, sizeof what, "ioctl with the request %#lx", request);
    __selvedge_unsupported(what);
    return -1;
}
