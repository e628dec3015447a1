// Directory streams. As in glibc, entries come in blocks of 32,768 bytes: those of one block are of one moment. Two threads that use
// one stream without order have a data race.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// As many entries as fit, from the position of the open directory on; 0 at the end.
ssize_t __selvedge_getdents(int fd, void *to, size_t size);

#define BLOCK 32768

struct __dirstream
{
    int fd;
    size_t next, end;
    off_t position; // that of the entry to come
    char *block;
};

static DIR *made(int fd)
{
    DIR *stream = malloc(sizeof *stream);
    stream->fd = fd;
    stream->next = stream->end = 0;
    stream->position = 0;
    stream->block = malloc(BLOCK);
    return stream;
}

DIR *opendir(const char *name)
{
    int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? NULL : made(fd);
}

DIR *fdopendir(int fd)
{
    struct stat status;
    if (fstat(fd, &status))
        return NULL;
    if (!S_ISDIR(status.st_mode))
    {
        errno = ENOTDIR;
        return NULL;
    }
    return made(fd);
}

int closedir(DIR *stream)
{
    int fd = stream->fd;
    free(stream->block);
    free(stream);
    return close(fd);
}

struct dirent *readdir(DIR *stream)
{
    if (stream->next == stream->end)
    {
        int before = errno;
        ssize_t size = __selvedge_getdents(stream->fd, stream->block, BLOCK);
        if (size < 0 && errno == ENOENT) // the directory was removed
        {
            errno = before;
            size = 0;
        }
        if (size <= 0)
            return NULL;
        stream->next = 0;
        stream->end = (size_t)size;
    }
    struct dirent *entry = (struct dirent *)(stream->block + stream->next);
    stream->next += entry->d_reclen;
    stream->position = entry->d_off;
    return entry;
}

struct dirent64 *readdir64(DIR *stream) { return (struct dirent64 *)readdir(stream); }

int readdir_r(DIR *restrict stream, struct dirent *restrict entry, struct dirent **restrict result)
{
    int before = errno;
    errno = 0;
    struct dirent *next = readdir(stream);
    int error = errno;
    errno = before;
    if (next)
        memcpy(entry, next, next->d_reclen);
    *result = next ? entry : NULL;
    return next ? 0 : error;
}

int readdir64_r(DIR *restrict stream, struct dirent64 *restrict entry, struct dirent64 **restrict result)
{
    return readdir_r(stream, (struct dirent *)entry, (struct dirent **)result);
}

void seekdir(DIR *stream, long position)
{
    lseek(stream->fd, position, SEEK_SET);
    stream->next = stream->end = 0;
    stream->position = position;
}

void rewinddir(DIR *stream) { seekdir(stream, 0); }
long telldir(DIR *stream) { return stream->position; }
int dirfd(DIR *stream) { return stream->fd; }

int alphasort(const struct dirent **a, const struct dirent **b) { return strcoll((*a)->d_name, (*b)->d_name); }

int alphasort64(const struct dirent64 **a, const struct dirent64 **b) { return strcoll((*a)->d_name, (*b)->d_name); }

int scandir(const char *name, struct dirent ***list, int (*wanted)(const struct dirent *),
    int (*order)(const struct dirent **, const struct dirent **))
{
    DIR *stream = opendir(name);
    if (!stream)
        return -1;
    int before = errno;
    struct dirent **found = NULL, *entry;
    size_t count = 0, room = 0;
    for (errno = 0; (entry = readdir(stream)); errno = 0)
    {
        if (wanted)
        {
            errno = 0;
            if (!wanted(entry))
                continue;
        }
        if (count == room)
            found = realloc(found, (room = room ? 2 * room : 10) * sizeof *found);
        found[count] = malloc(entry->d_reclen);
        memcpy(found[count++], entry, entry->d_reclen);
    }
    if (errno)
    {
        int error = errno;
        while (count)
            free(found[--count]);
        free(found);
        closedir(stream);
        errno = error;
        return -1;
    }
    closedir(stream);
    if (order && count)
        qsort(found, count, sizeof *found, (int (*)(const void *, const void *))order);
    errno = before;
    *list = found;
    return (int)count;
}

int scandir64(const char *name, struct dirent64 ***list, int (*wanted)(const struct dirent64 *),
    int (*order)(const struct dirent64 **, const struct dirent64 **))
{
    return scandir(name, (struct dirent ***)list, (int (*)(const struct dirent *))wanted,
        (int (*)(const struct dirent **, const struct dirent **))order);
}
