// The working directory's path, and paths without symbolic links, `.` and `..`.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The length of the path; -1 with errno set.
ssize_t __selvedge_getcwd(char *to, size_t size);

char *getcwd(char *to, size_t size)
{
    if (to && size == 0)
    {
        errno = EINVAL;
        return NULL;
    }
    char *path = to ? to : malloc(size ? size : PATH_MAX);
    ssize_t length = __selvedge_getcwd(path, size ? size : PATH_MAX);
    if (length < 0)
    {
        if (!to)
        {
            int error = errno;
            free(path);
            errno = error;
        }
        return NULL;
    }
    if (!to && size == 0)
        path = realloc(path, (size_t)length + 1);
    return path;
}

// Whether what follows a name makes sense behind a directory only.
static int needs_directory(const char *rest)
{
    while (*rest == '/')
    {
        while (*rest == '/')
            rest++;
        if (!*rest)
            return 1;
        if (*rest++ != '.')
            return 0;
        if (!*rest || (*rest == '.' && (!rest[1] || rest[1] == '/')))
            return 1;
    }
    return 0;
}

static int is_directory(const char *path)
{
    struct stat status;
    if (stat(path, &status))
        return 0;
    if (S_ISDIR(status.st_mode))
        return 1;
    errno = ENOTDIR;
    return 0;
}

static int resolve(const char *path, char *out)
{
    char rest[PATH_MAX], link[PATH_MAX];
    int links = 0;
    if (!*path)
    {
        errno = ENOENT;
        return -1;
    }
    if (strlen(path) >= PATH_MAX)
    {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(rest, path);
    if (*path == '/')
        *out = 0;
    else if (!getcwd(out, PATH_MAX))
        return -1;
    size_t length = strlen(out);
    if (length == 1)
        length = 0; // "/"
    char *at = rest;
    for (;;)
    {
        while (*at == '/')
            at++;
        if (!*at)
            break;
        size_t size = strcspn(at, "/");
        const char *part = at;
        at += size;
        if (size == 1 && *part == '.')
            continue;
        if (size == 2 && part[0] == '.' && part[1] == '.')
        {
            while (length && out[--length] != '/')
                ;
            continue;
        }
        if (length + size + 2 > PATH_MAX)
        {
            errno = ENAMETOOLONG;
            return -1;
        }
        size_t before = length;
        out[length++] = '/';
        memcpy(out + length, part, size);
        length += size;
        out[length] = 0;
        ssize_t target = readlink(out, link, sizeof link - 1);
        if (target < 0)
        {
            if (needs_directory(at) ? !is_directory(out) : errno != EINVAL)
                return -1;
            continue;
        }
        if (++links > 40)
        {
            errno = ELOOP;
            return -1;
        }
        size_t left = strlen(at);
        if ((size_t)target + left >= PATH_MAX)
        {
            errno = ENAMETOOLONG;
            return -1;
        }
        memmove(link + target, at, left + 1);
        memcpy(rest, link, (size_t)target + left + 1);
        at = rest;
        length = *rest == '/' ? 0 : before;
    }
    if (!length)
        out[length++] = '/';
    out[length] = 0;
    return 0;
}

char *realpath(const char *restrict path, char *restrict to)
{
    char found[PATH_MAX];
    if (!path)
    {
        errno = EINVAL;
        return NULL;
    }
    if (resolve(path, found))
        return NULL;
    return to ? strcpy(to, found) : strdup(found);
}

char *canonicalize_file_name(const char *path) { return realpath(path, NULL); }
