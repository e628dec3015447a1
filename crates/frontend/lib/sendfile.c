// Copies from a regular file to another descriptor, in blocks.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define BLOCK 65536

ssize_t sendfile(int out, int in, off_t *offset, size_t count)
{
    int from = fcntl(in, F_GETFL), to = fcntl(out, F_GETFL);
    if (from < 0 || to < 0)
        return -1;
    if ((from & O_ACCMODE) == O_WRONLY || (to & O_ACCMODE) == O_RDONLY)
    {
        errno = EBADF;
        return -1;
    }
    off_t position = offset ? *offset : lseek(in, 0, SEEK_CUR);
    if (position < 0 || to & O_APPEND)
    {
        errno = EINVAL;
        return -1;
    }
    char *block = malloc(count < BLOCK ? count : BLOCK);
    size_t done = 0;
    int error = 0;
    while (done < count && !error)
    {
        size_t left = count - done;
        ssize_t got = pread(in, block, left < BLOCK ? left : BLOCK, position + (off_t)done);
        if (got <= 0)
        {
            error = got < 0 ? errno : 0;
            break;
        }
        ssize_t put = write(out, block, (size_t)got);
        if (put < 0)
            error = errno;
        else
            done += (size_t)put;
        if (put < got)
            break;
    }
    free(block);
    if (offset)
        *offset = position + (off_t)done;
    else
        lseek(in, position + (off_t)done, SEEK_SET);
    if (!done && error)
    {
        errno = error;
        return -1;
    }
    return (ssize_t)done;
}

ssize_t sendfile64(int out, int in, off64_t *offset, size_t count) { return sendfile(out, in, (off_t *)offset, count); }
