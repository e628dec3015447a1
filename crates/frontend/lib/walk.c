// Walks through trees of files: ftw and nftw, as glibc does them. Directories stay open while what is in them is visited, however
// many may be open.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void __selvedge_unsupported(const char *what);

typedef int visit_plain(const char *, const struct stat *, int);
typedef int visit_all(const char *, const struct stat *, int, struct FTW *);

struct visited
{
    struct visited *next;
    ino_t file;
};

struct walk
{
    visit_plain *plain;
    visit_all *all;
    int flags;
    struct FTW at;
    struct visited *visited; // directories, where links are followed
    char path[PATH_MAX];
};

static int tell(struct walk *walk, const struct stat *status, int kind)
{
    if (walk->all)
        return walk->all(walk->path, status, kind, &walk->at);
    if (kind == FTW_SL)
        kind = FTW_F;
    if (kind == FTW_SLN)
        kind = FTW_NS;
    return walk->plain(walk->path, status, kind);
}

// Whether a directory is visited for the first time.
static int is_new(struct walk *walk, const struct stat *status)
{
    if (walk->flags & FTW_PHYS)
        return 1;
    for (struct visited *at = walk->visited; at; at = at->next)
        if (at->file == status->st_ino)
            return 0;
    struct visited *more = malloc(sizeof *more);
    more->next = walk->visited;
    more->file = status->st_ino;
    walk->visited = more;
    return 1;
}

static int directory(struct walk *walk, const struct stat *status);

static int entry(struct walk *walk, const char *name)
{
    struct stat status;
    int result, kind = FTW_F;
    size_t before = strlen(walk->path);
    if (walk->at.base + strlen(name) + 1 > PATH_MAX)
        __selvedge_unsupported("a walk along a path of more than 4095 bytes");
    if (walk->path[walk->at.base - 1] != '/')
        walk->path[walk->at.base - 1] = '/';
    strcpy(walk->path + walk->at.base, name);
    result = walk->flags & FTW_PHYS ? lstat(walk->path, &status) : stat(walk->path, &status);
    if (result == 0)
        kind = S_ISDIR(status.st_mode) ? FTW_D : S_ISLNK(status.st_mode) ? FTW_SL : FTW_F;
    else if (errno == EACCES || errno == ENOENT)
    {
        result = 0;
        kind = FTW_NS;
        if (!(walk->flags & FTW_PHYS) && lstat(walk->path, &status) == 0 && S_ISLNK(status.st_mode))
            kind = FTW_SLN;
    }
    if (result == 0)
    {
        if (kind != FTW_D)
            result = tell(walk, &status, kind);
        else if (is_new(walk, &status))
            result = directory(walk, &status);
    }
    if (walk->flags & FTW_ACTIONRETVAL && result == FTW_SKIP_SUBTREE)
        result = 0;
    walk->path[before] = 0;
    return result;
}

static int directory(struct walk *walk, const struct stat *status)
{
    DIR *stream = opendir(walk->path);
    if (!stream)
        return errno == EACCES ? tell(walk, status, FTW_DNR) : -1;
    int base = walk->at.base, result = 0;
    if (!(walk->flags & FTW_DEPTH) && (result = tell(walk, status, FTW_D)))
    {
        int error = errno;
        closedir(stream);
        errno = error;
        return result;
    }
    walk->at.level++;
    size_t length = strlen(walk->path);
    walk->at.base = (int)(length + (walk->path[length - 1] != '/'));
    struct dirent *next;
    while (!result && (next = readdir(stream)))
        if (strcmp(next->d_name, ".") && strcmp(next->d_name, ".."))
            result = entry(walk, next->d_name);
    int error = errno;
    closedir(stream);
    errno = error;
    if (walk->flags & FTW_ACTIONRETVAL && result == FTW_SKIP_SIBLINGS)
        result = 0;
    walk->path[length] = 0;
    walk->at.level--;
    walk->at.base = base;
    if (!result && walk->flags & FTW_DEPTH)
        result = tell(walk, status, FTW_DP);
    return result;
}

static int start(struct walk *walk, const char *path)
{
    struct stat status;
    size_t length = strlen(path);
    if (!length)
    {
        errno = ENOENT;
        return -1;
    }
    if (length >= PATH_MAX)
    {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (walk->flags & FTW_CHDIR)
        __selvedge_unsupported("nftw with FTW_CHDIR");
    strcpy(walk->path, path);
    while (length > 1 && walk->path[length - 1] == '/')
        walk->path[--length] = 0;
    walk->at.level = 0;
    walk->at.base = (int)length;
    while (walk->at.base && walk->path[walk->at.base - 1] != '/')
        walk->at.base--;
    if (walk->flags & FTW_PHYS ? lstat(walk->path, &status) : stat(walk->path, &status))
    {
        if (walk->flags & FTW_PHYS || errno != ENOENT || lstat(walk->path, &status) || !S_ISLNK(status.st_mode))
            return -1;
        return tell(walk, &status, FTW_SLN);
    }
    int result;
    if (S_ISDIR(status.st_mode))
    {
        is_new(walk, &status);
        result = directory(walk, &status);
    }
    else
        result = tell(walk, &status, S_ISLNK(status.st_mode) ? FTW_SL : FTW_F);
    if (walk->flags & FTW_ACTIONRETVAL && (result == FTW_SKIP_SUBTREE || result == FTW_SKIP_SIBLINGS))
        result = 0;
    return result;
}

static int go(const char *path, visit_plain *plain, visit_all *all, int flags)
{
    struct walk *walk = malloc(sizeof *walk);
    walk->plain = plain;
    walk->all = all;
    walk->flags = flags;
    walk->visited = NULL;
    int result = start(walk, path), error = errno;
    while (walk->visited)
    {
        struct visited *gone = walk->visited;
        walk->visited = gone->next;
        free(gone);
    }
    free(walk);
    errno = error;
    return result;
}

int ftw(const char *path, visit_plain *visit, int descriptors)
{
    (void)descriptors;
    return go(path, visit, NULL, 0);
}

int nftw(const char *path, visit_all *visit, int descriptors, int flags)
{
    (void)descriptors;
    if (flags & ~(FTW_PHYS | FTW_MOUNT | FTW_CHDIR | FTW_DEPTH | FTW_ACTIONRETVAL))
    {
        errno = EINVAL;
        return -1;
    }
    return go(path, NULL, visit, flags);
}

int ftw64(const char *path, int (*visit)(const char *, const struct stat64 *, int), int descriptors)
{
    return ftw(path, (visit_plain *)visit, descriptors);
}

int nftw64(const char *path, int (*visit)(const char *, const struct stat64 *, int, struct FTW *), int descriptors, int flags)
{
    return nftw(path, (visit_all *)visit, descriptors, flags);
}
