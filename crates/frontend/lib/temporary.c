// Files with names that nobody else has. A name that exists is not taken, so a name is never used twice while its file is there;
// which of the free names it is, the C library leaves open.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A file, or a directory if that is asked for in place of flags.
#define DIRECTORY (-1)

static int make(char *name, int after, int flags)
{
    size_t length = strlen(name);
    if (after < 0 || length < 6 + (size_t)after || strncmp(name + length - 6 - after, "XXXXXX", 6))
    {
        errno = EINVAL;
        return -1;
    }
    char *place = name + length - 6 - after;
    int before = errno;
    memcpy(place, "aaaaaa", 6);
    for (;;)
    {
        int fd = flags == DIRECTORY ? mkdir(name, 0700) : open(name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0)
            errno = before;
        if (fd >= 0 || errno != EEXIST)
            return fd;
        int i = 5;
        while (i >= 0 && place[i] == 'z')
            place[i--] = 'a';
        if (i < 0)
            return -1; // EEXIST
        place[i]++;
    }
}

int mkostemps(char *name, int after, int flags) { return make(name, after, flags); }
int mkostemps64(char *name, int after, int flags) { return make(name, after, flags); }
int mkostemp(char *name, int flags) { return make(name, 0, flags); }
int mkostemp64(char *name, int flags) { return make(name, 0, flags); }
int mkstemps(char *name, int after) { return make(name, after, 0); }
int mkstemps64(char *name, int after) { return make(name, after, 0); }
int mkstemp(char *name) { return make(name, 0, 0); }
int mkstemp64(char *name) { return make(name, 0, 0); }
char *mkdtemp(char *name) { return make(name, 0, DIRECTORY) < 0 ? NULL : name; }

FILE *tmpfile(void)
{
    char name[] = "/tmp/tmpfXXXXXX";
    int fd = mkstemp(name);
    if (fd < 0)
        return NULL;
    unlink(name);
    return fdopen(fd, "w+");
}

FILE *tmpfile64(void) { return tmpfile(); }
