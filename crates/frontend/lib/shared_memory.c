// Objects of shared memory: files in /dev/shm, and files without a name. No other process uses them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void __selvedge_unsupported(const char *what);
// A descriptor of an empty file without a name; -1 with errno set.
int __selvedge_unnamed_file(int flags);

// The file of an object; whether the name is one.
static int named(const char *name, char path[static 300])
{
    name += strspn(name, "/");
    size_t length = strlen(name);
    if (length == 0 || length >= 255 || strchr(name, '/'))
        return 0;
    strcat(strcpy(path, "/dev/shm/"), name);
    return 1;
}

int shm_open(const char *name, int flags, mode_t mode)
{
    char path[300];
    if (!named(name, path)) {
        errno = EINVAL;
        return -1;
    }
    int fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0 && errno == EISDIR)
        errno = EINVAL;
    return fd;
}

int shm_unlink(const char *name)
{
    char path[300];
    if (!named(name, path)) {
        errno = ENOENT;
        return -1;
    }
    int failed = unlink(path);
    if (failed && errno == EPERM)
        errno = EACCES;
    return failed;
}

int memfd_create(const char *name, unsigned flags)
{
    if (flags & ~(unsigned)(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        __selvedge_unsupported("memfd_create with flags other than MFD_CLOEXEC and MFD_ALLOW_SEALING");
    if (strlen(name) > 249) {
        errno = EINVAL;
        return -1;
    }
    return __selvedge_unnamed_file(flags & MFD_CLOEXEC ? O_CLOEXEC : 0);
}
