// The last part of a path, and what stands before it: basename and dirname as POSIX has them, and basename as glibc has it beside.
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>

char *__xpg_basename(char *path)
{
    if (!path || !*path)
        return ".";
    size_t length = strlen(path), end = length;
    while (end > 0 && path[end - 1] == '/')
        end--;
    if (end == 0)
        return path + length - 1;
    if (end < length)
        path[end] = 0;
    char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *basename(const char *path)
{
    char *slash = strrchr(path, '/');
    return slash ? slash + 1 : (char *)path;
}

char *dirname(char *path)
{
    if (!path)
        return ".";
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    while (end > 0 && path[end - 1] == '/')
        end--;
    if (end == 0 && *path != '/')
        return ".";
    // Two slashes at the beginning may mean something else than one.
    if (end == 0)
        end = path[1] == '/' && path[2] != '/' ? 2 : 1;
    path[end] = 0;
    return path;
}
