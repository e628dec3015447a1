// Limits of files and of the system that hold of every file here. The file system has 1 GiB, half of which is free, whatever is
// written: its numbers are those of a moment.
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

void __selvedge_unsupported(const char *what);

static long limit(int name)
{
    switch (name) {
    case _PC_LINK_MAX: return 65000;
    case _PC_MAX_CANON:
    case _PC_MAX_INPUT:
    case _PC_NAME_MAX: return 255;
    case _PC_PATH_MAX:
    case _PC_PIPE_BUF: return 4096;
    case _PC_CHOWN_RESTRICTED:
    case _PC_NO_TRUNC:
    case _PC_2_SYMLINKS: return 1;
    case _PC_VDISABLE: return 0;
    case _PC_FILESIZEBITS: return 64;
    case _PC_REC_MIN_XFER_SIZE:
    case _PC_REC_XFER_ALIGN:
    case _PC_ALLOC_SIZE_MIN: return 4096;
    case _PC_SYNC_IO:
    case _PC_ASYNC_IO:
    case _PC_PRIO_IO:
    case _PC_SOCK_MAXBUF:
    case _PC_REC_INCR_XFER_SIZE:
    case _PC_REC_MAX_XFER_SIZE:
    case _PC_SYMLINK_MAX: return -1;
    default: errno = EINVAL; return -1;
    }
}

// Which error comes first is left open.
long pathconf(const char *path, int name)
{
    struct stat status;
    if (!*path) {
        errno = ENOENT;
        return -1;
    }
    return stat(path, &status) ? -1 : limit(name);
}

long fpathconf(int fd, int name)
{
    struct stat status;
    return fstat(fd, &status) ? -1 : limit(name);
}

enum { BLOCK = 4096, BLOCKS = 1 << 18, FILES = 1 << 16 };

static int filled(int failed, struct statvfs *to)
{
    if (failed)
        return -1;
    memset(to, 0, sizeof *to);
    to->f_bsize = to->f_frsize = BLOCK;
    to->f_blocks = BLOCKS;
    to->f_bfree = to->f_bavail = BLOCKS / 2;
    to->f_files = FILES;
    to->f_ffree = to->f_favail = FILES / 2;
    to->f_namemax = 255;
    return 0;
}

int statvfs(const char *restrict path, struct statvfs *restrict to)
{
    struct stat status;
    return filled(stat(path, &status), to);
}

int fstatvfs(int fd, struct statvfs *to)
{
    struct stat status;
    return filled(fstat(fd, &status), to);
}

int statvfs64(const char *restrict path, struct statvfs64 *restrict to) { return statvfs(path, (struct statvfs *)to); }
int fstatvfs64(int fd, struct statvfs64 *to) { return fstatvfs(fd, (struct statvfs *)to); }

// The kind of the file system is the most frequent one of Linux.
static int filled_for_linux(int failed, struct statfs *to)
{
    if (failed)
        return -1;
    memset(to, 0, sizeof *to);
    to->f_type = 0xef53;
    to->f_bsize = to->f_frsize = BLOCK;
    to->f_blocks = BLOCKS;
    to->f_bfree = to->f_bavail = BLOCKS / 2;
    to->f_files = FILES;
    to->f_ffree = FILES / 2;
    to->f_namelen = 255;
    return 0;
}

int statfs(const char *path, struct statfs *to)
{
    struct stat status;
    return filled_for_linux(stat(path, &status), to);
}

int fstatfs(int fd, struct statfs *to)
{
    struct stat status;
    return filled_for_linux(fstat(fd, &status), to);
}

int statfs64(const char *path, struct statfs64 *to) { return statfs(path, (struct statfs *)to); }
int fstatfs64(int fd, struct statfs64 *to) { return fstatfs(fd, (struct statfs *)to); }

// What is written is in the files at once.
void sync(void) {}

int syncfs(int fd)
{
    struct stat status;
    return fstat(fd, &status);
}

size_t confstr(int name, char *to, size_t room)
{
    if (name != _CS_PATH)
        __selvedge_unsupported("confstr of anything but _CS_PATH");
    static const char path[] = "/bin:/usr/bin";
    if (room > 0) {
        size_t copied = room < sizeof path ? room : sizeof path;
        memcpy(to, path, copied);
        to[copied - 1] = 0;
    }
    return sizeof path;
}
