// Owners and times of files. They are what stat says; what would change times is unsupported. Files are not given away: that is for
// the super-user, who the process is not.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

void __selvedge_unsupported(const char *what);

static int has_owner(const struct stat *file, uid_t user, gid_t group)
{
    if ((user != (uid_t)-1 && user != file->st_uid) || (group != (gid_t)-1 && group != file->st_gid))
    {
        errno = EPERM;
        return -1;
    }
    return 0;
}

static int has_times(const struct stat *file, long access, long change)
{
    if (file->st_atime != access || file->st_mtime != change)
        __selvedge_unsupported("a change of a file's times");
    return 0;
}

int chown(const char *name, uid_t user, gid_t group)
{
    struct stat file;
    return stat(name, &file) ? -1 : has_owner(&file, user, group);
}

int lchown(const char *name, uid_t user, gid_t group)
{
    struct stat file;
    return lstat(name, &file) ? -1 : has_owner(&file, user, group);
}

int fchown(int fd, uid_t user, gid_t group)
{
    struct stat file;
    return fstat(fd, &file) ? -1 : has_owner(&file, user, group);
}

int utime(const char *name, const struct utimbuf *times)
{
    struct stat file;
    if (stat(name, &file))
        return -1;
    if (!times)
        __selvedge_unsupported("a change of a file's times");
    return has_times(&file, times->actime, times->modtime);
}

int utimes(const char *name, const struct timeval times[2])
{
    struct stat file;
    if (stat(name, &file))
        return -1;
    if (!times)
        __selvedge_unsupported("a change of a file's times");
    if (times[0].tv_usec || times[1].tv_usec)
        __selvedge_unsupported("a change of a file's times");
    return has_times(&file, times[0].tv_sec, times[1].tv_sec);
}

static int has_precise_times(const struct stat *file, const struct timespec times[2])
{
    if (!times || times[0].tv_nsec || times[1].tv_nsec)
        __selvedge_unsupported("a change of a file's times");
    return has_times(file, times[0].tv_sec, times[1].tv_sec);
}

int futimens(int fd, const struct timespec times[2])
{
    struct stat file;
    return fstat(fd, &file) ? -1 : has_precise_times(&file, times);
}

int utimensat(int directory, const char *name, const struct timespec times[2], int flags)
{
    struct stat file;
    if (directory != AT_FDCWD && name[0] != '/')
        __selvedge_unsupported("utimensat in a directory");
    if ((flags & AT_SYMLINK_NOFOLLOW ? lstat(name, &file) : stat(name, &file)) != 0)
        return -1;
    return has_precise_times(&file, times);
}
