// Directories, links and paths: random calls on a small tree, then what is left of it.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned seed = 1;
static unsigned next(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static const char *const names[] = {"a", "b", "a/b", "b/a", "a/c", "a/b/c", "a//b/", "a/.", "./b", "a/../b", "b/../b/a", "a/b/..", "l", "l/b",
    "l/", "nothing/..", "a/b/../../b", "b/", "l/../b", "", "a/l", "b/l/c", "given", "given/x", "given/"};
static const char *name(void) { return names[next(sizeof names / sizeof *names)]; }

static char top[PATH_MAX];

static void said(const char *what, const char *a, const char *b, long result)
{
    printf("%s %s %s: %ld %s\n", what, a, b, result, result < 0 ? strerror(errno) : "");
}

static void show_status(const char *what, const char *path, int result, struct stat *status)
{
    said(what, path, "", result);
    if (result == 0)
        printf("%o %ld %ld\n", (unsigned)status->st_mode, (long)(S_ISDIR(status->st_mode) ? -1 : status->st_size),
            (long)(S_ISDIR(status->st_mode) ? -1 : (long)status->st_nlink));
}

// A path below the top, without what the machine and the native run name differently.
static const char *local(const char *path)
{
    size_t length = strlen(top);
    return strncmp(path, top, length) ? path : path + length;
}

static void random_call(void)
{
    const char *x = name(), *y = name();
    char text[PATH_MAX];
    struct stat status;
    int fd, other;
    long result;
    switch (next(21))
    {
    case 0: case 1: said("mkdir", x, "", mkdir(x, 0777)); break;
    case 2: said("rmdir", x, "", rmdir(x)); break;
    case 3: said("unlink", x, "", unlink(x)); break;
    case 4: said("rename", x, y, rename(x, y)); break;
    case 5: said("link", x, y, link(x, y)); break;
    case 6: said("symlink", x, y, symlink(x, y)); break;
    case 7: case 8:
        fd = open(x, O_WRONLY | O_CREAT | (next(2) ? O_EXCL : 0) | (next(4) ? 0 : O_NOFOLLOW), 0640);
        said("create", x, "", fd < 0 ? -1 : 0);
        if (fd >= 0)
            write(fd, "text", next(5)), close(fd);
        break;
    case 9: show_status("stat", x, stat(x, &status), &status); break;
    case 10: show_status("lstat", x, lstat(x, &status), &status); break;
    case 11:
        result = readlink(x, text, sizeof text - 1);
        said("readlink", x, "", result);
        if (result >= 0)
            printf("%.*s\n", (int)result, text);
        break;
    case 12: said("remove", x, "", remove(x)); break;
    case 13: {
        char *found = realpath(x, next(2) ? text : NULL);
        said("realpath", x, found ? local(found) : "", found ? 0 : -1);
        if (found && found != text)
            free(found);
        break;
    }
    case 14: said("access", x, "", access(x, R_OK)); break;
    case 15: case 16:
        fd = open(x, O_RDONLY | (next(2) ? O_DIRECTORY : 0));
        said("open", x, "", fd < 0 ? -1 : 0);
        if (fd < 0)
            break;
        switch (next(7))
        {
        case 0: said("mkdirat", x, y, mkdirat(fd, y, 0755)); break;
        case 1: said("unlinkat", x, y, unlinkat(fd, y, next(2) ? AT_REMOVEDIR : 0)); break;
        case 2: show_status("fstatat", y, fstatat(fd, y, &status, next(2) ? AT_SYMLINK_NOFOLLOW : 0), &status); break;
        case 3: said("renameat", x, y, renameat(fd, y, next(2) ? fd : AT_FDCWD, name())); break;
        case 4:
            other = openat(fd, y, O_RDONLY);
            said("openat", x, y, other < 0 ? -1 : 0);
            if (other >= 0)
                close(other);
            break;
        case 5: said("faccessat", x, y, faccessat(fd, y, F_OK, 0)); break;
        default:
            said("symlinkat", x, y, symlinkat(y, fd, "l"));
            said("read", x, "", read(fd, text, 1));
        }
        close(fd);
        break;
    case 17: said("linkat", x, y, linkat(AT_FDCWD, x, AT_FDCWD, y, next(2) ? AT_SYMLINK_FOLLOW : 0)); break;
    case 18: {
        int here = open(".", O_RDONLY | O_DIRECTORY);
        said("chdir", x, "", chdir(x));
        if (getcwd(text, sizeof text))
            printf("%s\n", local(text));
        y = name();
        said("mkdir", y, "", mkdir(y, 0777));
        fchdir(here);
        close(here);
        break;
    }
    case 19: said("truncate", x, "", truncate(x, next(9))); break;
    case 20: said("chmod", x, "", chmod(x, 0711)); break;
    }
}

static char seen[200][256];
static int seen_count;
static int visit_all(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    if (seen_count < 200)
        snprintf(seen[seen_count++], 256, "  %s %d %d %d %s", path, kind, at->base, at->level,
            kind == FTW_NS ? "" : S_ISREG(status->st_mode) ? "file" : "other");
    return 0;
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static void walk(const char *path, int flags)
{
    seen_count = 0;
    said("nftw", path, "", nftw(path, visit_all, 5, flags));
    qsort(seen, seen_count, sizeof *seen, by_text);
    for (int i = 0; i < seen_count; i++)
        puts(seen[i]);
}

static int visited, directories;
static int visit(const char *path, const struct stat *status, int kind)
{
    (void)path, (void)status;
    visited++;
    directories += kind == FTW_D;
    return visited == 100 ? 7 : 0;
}

static int is_ours(const struct dirent *entry) { return strcmp(entry->d_name, "program") && strcmp(entry->d_name, "stdin"); }

static void list(const char *path, int depth)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_ours, alphasort);
    for (int i = 0; i < count; i++)
    {
        char below[PATH_MAX];
        printf("%*s%s %d\n", depth, "", entries[i]->d_name, entries[i]->d_type);
        snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_type == DT_DIR && entries[i]->d_name[0] != '.')
            list(below, depth + 2);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static int clear_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind;
    return at->level == 0 || !strcmp(path, "./program") || !strcmp(path, "./stdin") || !strcmp(path, "./given") ? 0 : remove(path);
}

static void streams_of_directories(void)
{
    mkdir("d", 0700);
    for (int i = 0; i < 5; i++)
    {
        char path[16];
        sprintf(path, "d/%d", i);
        close(creat(path, 0600));
    }
    DIR *stream = opendir("d");
    int seen = 0;
    struct dirent *entry;
    while ((entry = readdir(stream)))
        seen++, unlinkat(dirfd(stream), entry->d_name, 0);
    printf("%d entries\n", seen);
    rewinddir(stream);
    for (seen = 0; readdir(stream); seen++)
        ;
    printf("%d entries\n", seen);
    mkdir("d/x", 0700);
    rewinddir(stream);
    long places[3];
    for (int i = 0; i < 3; i++)
        places[i] = telldir(stream), readdir(stream);
    printf("%d\n", readdir(stream) == NULL);
    seekdir(stream, places[1]);
    for (seen = 0; readdir(stream); seen++)
        ;
    printf("%d entries\n", seen);
    printf("%d\n", closedir(stream));
    errno = 0;
    printf("%d %s\n", opendir("given") == NULL, strerror(errno));
    printf("%d %s\n", opendir("none") == NULL, strerror(errno));
    printf("%d %s\n", opendir("") == NULL, strerror(errno));
    int file = open("given", O_RDONLY);
    printf("%d %s\n", fdopendir(file) == NULL, strerror(errno));
    close(file);
    stream = fdopendir(open("d", O_RDONLY));
    for (seen = 0; readdir(stream); seen++)
        ;
    printf("%d entries\n", seen);
    closedir(stream);
    printf("%d %s\n", rmdir("d"), strerror(errno));
    printf("%d %d\n", rmdir("d/x"), rmdir("d"));
    printf("%d\n", scandir("d", NULL, NULL, NULL));
}

static void working_directory(void)
{
    char small[3];
    struct stat status;
    printf("%d %s\n", getcwd(small, sizeof small) == NULL, strerror(errno));
    printf("%d %s\n", getcwd(small, 0) == NULL, strerror(errno));
    mkdir("gone", 0700);
    chdir("gone");
    rmdir("../gone");
    printf("%d %s\n", getcwd(NULL, 0) == NULL, strerror(errno));
    printf("%d %s\n", open("x", O_CREAT | O_WRONLY, 0600), strerror(errno));
    printf("%d %ld\n", stat(".", &status), (long)status.st_nlink);
    chdir(top);
    char template[] = "temporaryXXXXXX", *made = mkdtemp(template);
    stat(template, &status);
    printf("%d %o\n", made == template, (unsigned)status.st_mode);
    rmdir(template);
    printf("%d %s\n", chdir("given"), strerror(errno));
    printf("%d %s\n", fchdir(99), strerror(errno));
    printf("%d %s\n", rmdir("."), strerror(errno));
    printf("%d %s\n", mkdir("given/x", 0700), strerror(errno));
    printf("%d\n", strcmp(realpath(".", NULL), top));
}

int main(void)
{
    getcwd(top, sizeof top);
    streams_of_directories();
    working_directory();
    for (int round = 0; round < 40; round++)
    {
        for (int i = 0; i < 40; i++)
            random_call();
        list(".", 0);
        visited = directories = 0;
        printf("%d", ftw("a", visit, 5));
        printf(" %d %d\n", visited, directories);
        if (round % 2)
        {
            unlink("l"), symlink("a", "l");
            walk("l", FTW_PHYS);
            walk("l/", FTW_PHYS | FTW_DEPTH);
            walk("a/", round % 4 == 1 ? FTW_PHYS : FTW_DEPTH | FTW_PHYS);
        }
        printf("clear %d\n", nftw(".", clear_one, 5, FTW_PHYS | FTW_DEPTH));
    }
}
