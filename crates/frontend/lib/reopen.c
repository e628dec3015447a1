// freopen: as in glibc, the stream keeps its descriptor, which stands for the new file then.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void __selvedge_unsupported(const char *what);
// Says that a flushed stream may be read (1), written (2), and is appended to (4).
int __selvedge_reopen(FILE *stream, int how);

// What a mode says, and the flags to open the file with; 0 if it is none.
static int understood(const char *mode, int *flags)
{
    int how = *mode == 'r' ? 1 : *mode == 'w' ? 2 : *mode == 'a' ? 6 : 0;
    *flags = *mode == 'r' ? 0 : O_CREAT | (*mode == 'w' ? O_TRUNC : O_APPEND);
    if (how && strchr(mode, '+'))
        how |= 3;
    *flags |= (how & 3) == 3 ? O_RDWR : how & 2 ? O_WRONLY : O_RDONLY;
    if (strchr(mode, 'e'))
        *flags |= O_CLOEXEC;
    if (*flags & O_CREAT && strchr(mode, 'x'))
        *flags |= O_EXCL;
    return how;
}

// The stream is closed if there is no such file.
static int replaced(const char *path, int flags, int old)
{
    int fd = path ? open(path, flags, 0666) : -1;
    if (fd < 0) {
        int error = path ? errno : EINVAL;
        close(old);
        errno = error;
        return -1;
    }
    if (fd != old) {
        dup3(fd, old, flags & O_CLOEXEC);
        close(fd);
    }
    return 0;
}

FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
    int flags, how = understood(mode, &flags);
    if (!path)
        __selvedge_unsupported("freopen without the name of a file");
    if (stream == stdin && how != 1)
        __selvedge_unsupported("freopen of stdin but for reading");
    if ((stream == stdout || stream == stderr) && (how & 3) != 2)
        __selvedge_unsupported("freopen of stdout or stderr but for writing");
    flockfile(stream);
    int old = fileno(stream);
    if (old < 0)
        __selvedge_unsupported("freopen of a stream that has no file");
    fflush(stream);
    int failed = replaced(how ? path : NULL, flags, old);
    // The standard output streams are nothing but their descriptors.
    if (!failed && stream != stdout && stream != stderr)
        __selvedge_reopen(stream, how);
    funlockfile(stream);
    return failed ? NULL : stream;
}

FILE *freopen64(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
    return freopen(path, mode, stream);
}
