// Reading and writing several buffers at once: one transfer, through a buffer that has them all.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// How many bytes there are in all; -1 if that is refused.
static ssize_t total(const struct iovec *vector, int count)
{
    size_t sum = 0;
    if (count < 0 || count > 1024) // IOV_MAX
    {
        errno = EINVAL;
        return -1;
    }
    for (int i = 0; i < count; i++)
        if (__builtin_add_overflow(sum, vector[i].iov_len, &sum) || sum > __LONG_MAX__)
        {
            errno = EINVAL;
            return -1;
        }
    return (ssize_t)sum;
}

ssize_t writev(int fd, const struct iovec *vector, int count)
{
    ssize_t length = total(vector, count);
    if (length < 0)
        return -1;
    char *all = malloc(length ? length : 1);
    size_t at = 0;
    for (int i = 0; i < count; i++)
    {
        if (vector[i].iov_len)
            memcpy(all + at, vector[i].iov_base, vector[i].iov_len);
        at += vector[i].iov_len;
    }
    ssize_t written = write(fd, all, length);
    free(all);
    return written;
}

ssize_t readv(int fd, const struct iovec *vector, int count)
{
    ssize_t length = total(vector, count);
    if (length < 0)
        return -1;
    char *all = malloc(length ? length : 1);
    ssize_t got = read(fd, all, length), at = 0;
    for (int i = 0; at < got; i++)
    {
        size_t part = got - at < (ssize_t)vector[i].iov_len ? (size_t)(got - at) : vector[i].iov_len;
        if (part)
            memcpy(vector[i].iov_base, all + at, part);
        at += part;
    }
    free(all);
    return got;
}
