// Files whose paths match a pattern. A path is followed component by component; a directory is read where a component is a pattern.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void __selvedge_unsupported(const char *what);

enum { KNOWN = GLOB_ERR | GLOB_MARK | GLOB_NOSORT | GLOB_DOOFFS | GLOB_NOCHECK | GLOB_APPEND | GLOB_NOESCAPE | GLOB_PERIOD |
    GLOB_NOMAGIC | GLOB_ONLYDIR | GLOB_MAGCHAR };

struct search
{
    int flags;
    int (*failed)(const char *, int);
    char **paths;
    size_t count, room;
    int error;
};

static char *joined(const char *a, size_t of_a, const char *b, size_t of_b)
{
    char *text = malloc(of_a + of_b + 1);
    memcpy(text, a, of_a);
    memcpy(text + of_a, b, of_b);
    text[of_a + of_b] = 0;
    return text;
}

// Whether a text of a pattern means more than its characters.
static int is_pattern(const char *text, size_t length, int flags)
{
    int open = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\' && !(flags & GLOB_NOESCAPE))
            i++;
        else if (text[i] == '*' || text[i] == '?' || (text[i] == ']' && open))
            return 1;
        else if (text[i] == '[')
            open = 1;
    }
    return 0;
}

static void keep(struct search *search, char *path)
{
    if (search->count == search->room)
        search->paths = realloc(search->paths, (search->room = search->room ? 2 * search->room : 8) * sizeof *search->paths);
    search->paths[search->count++] = path;
}

// A path that exists is kept.
static void try(struct search *search, const char *path, size_t length)
{
    struct stat status;
    char *text = joined(path, length, "/", search->flags & GLOB_MARK ? 1 : 0);
    text[length] = 0;
    if (lstat(text, &status)) {
        free(text);
        return;
    }
    int is_directory = S_ISDIR(status.st_mode);
    if (S_ISLNK(status.st_mode))
        is_directory = !stat(text, &status) && S_ISDIR(status.st_mode);
    if (search->flags & GLOB_MARK && is_directory && text[length - 1] != '/')
        text[length] = '/';
    keep(search, text);
}

static void without_escapes(char *to, const char *from, size_t length, int flags)
{
    for (size_t i = 0; i < length; i++) {
        if (from[i] == '\\' && !(flags & GLOB_NOESCAPE) && i + 1 < length)
            i++;
        *to++ = from[i];
    }
    *to = 0;
}

static void follow(struct search *search, const char *path, size_t length, const char *rest);

// Follows the names of a directory that match.
static void read_directory(struct search *search, const char *path, size_t length, const char *rest, size_t size)
{
    char *directory = length ? joined(path, length, "", 0) : joined(".", 1, "", 0), *pattern = joined(rest, size, "", 0);
    DIR *stream = opendir(directory);
    if (!stream) {
        int error = errno;
        if (error != ENOTDIR && ((search->failed && search->failed(directory, error)) || search->flags & GLOB_ERR))
            search->error = GLOB_ABORTED;
        free(directory), free(pattern);
        return;
    }
    // As in glibc, GLOB_PERIOD is for the last component.
    int how = (search->flags & GLOB_NOESCAPE ? FNM_NOESCAPE : 0) | (search->flags & GLOB_PERIOD && !rest[size] ? 0 : FNM_PERIOD);
    for (struct dirent *entry; !search->error && (entry = readdir(stream));)
        if (!fnmatch(pattern, entry->d_name, how)) {
            char *found = joined(path, length, entry->d_name, strlen(entry->d_name));
            follow(search, found, strlen(found), rest + size);
            free(found);
        }
    closedir(stream);
    free(directory), free(pattern);
}

// Follows the rest of a pattern, from a path that has matched what was before.
static void follow(struct search *search, const char *path, size_t length, const char *rest)
{
    size_t slashes = strspn(rest, "/"), size = strcspn(rest + slashes, "/");
    if (search->error)
        return;
    if (!*rest) {
        try(search, path, length);
        return;
    }
    char *here = joined(path, length, rest, slashes);
    rest += slashes;
    length += slashes;
    if (!size) {
        // Only a directory has a slash behind its name.
        struct stat status;
        if (!length || !stat(here, &status))
            keep(search, joined(here, length, "", 0));
    } else if (is_pattern(rest, size, search->flags)) {
        read_directory(search, here, length, rest, size);
    } else {
        char *name = malloc(size + 1);
        without_escapes(name, rest, size, search->flags);
        char *path_of_name = joined(here, length, name, strlen(name));
        follow(search, path_of_name, strlen(path_of_name), rest + size);
        free(path_of_name), free(name);
    }
    free(here);
}

static int order(const void *a, const void *b) { return strcoll(*(char *const *)a, *(char *const *)b); }

int glob(const char *restrict pattern, int flags, int (*failed)(const char *, int), glob_t *restrict result)
{
    if (flags & ~(KNOWN | GLOB_BRACE | GLOB_TILDE | GLOB_TILDE_CHECK | GLOB_ALTDIRFUNC)) {
        errno = EINVAL;
        return -1;
    }
    if (flags & GLOB_ALTDIRFUNC)
        __selvedge_unsupported("glob with GLOB_ALTDIRFUNC");
    if (flags & GLOB_BRACE && strchr(pattern, '{'))
        __selvedge_unsupported("a brace in a pattern of glob");
    if (flags & (GLOB_TILDE | GLOB_TILDE_CHECK) && *pattern == '~')
        __selvedge_unsupported("a tilde in a pattern of glob");
    if (!(flags & GLOB_DOOFFS))
        result->gl_offs = 0;
    if (!(flags & GLOB_APPEND)) {
        result->gl_pathc = 0;
        result->gl_pathv = NULL;
    }
    size_t length = strlen(pattern);
    struct search search = {.flags = flags, .failed = failed};
    int magic = is_pattern(pattern, length, flags);
    const char *last = strrchr(pattern, '/');
    last = last ? last + 1 : pattern;
    if (length)
        follow(&search, "", 0, pattern);
    if (search.error) {
        while (search.count)
            free(search.paths[--search.count]);
        free(search.paths);
        return search.error;
    }
    if (!search.count) {
        if (!(flags & GLOB_NOCHECK) && !(flags & GLOB_NOMAGIC && !magic && length))
            return GLOB_NOMATCH;
        keep(&search, joined(pattern, length, "", 0));
    }
    if (!(flags & GLOB_NOSORT))
        qsort(search.paths, search.count, sizeof *search.paths, order);
    size_t before = result->gl_offs + result->gl_pathc;
    char **all = realloc(result->gl_pathv, (before + search.count + 1) * sizeof *all);
    if (!result->gl_pathv)
        for (size_t i = 0; i < result->gl_offs; i++)
            all[i] = NULL;
    memcpy(all + before, search.paths, search.count * sizeof *all);
    all[before + search.count] = NULL;
    free(search.paths);
    result->gl_pathv = all;
    result->gl_pathc += search.count;
    result->gl_flags = flags | (is_pattern(last, strlen(last), flags) ? GLOB_MAGCHAR : 0);
    return 0;
}

void globfree(glob_t *result)
{
    if (!result->gl_pathv)
        return;
    for (size_t i = 0; i < result->gl_pathc; i++)
        free(result->gl_pathv[result->gl_offs + i]);
    free(result->gl_pathv);
    result->gl_pathv = NULL;
}

int glob64(const char *restrict pattern, int flags, int (*failed)(const char *, int), glob64_t *restrict result)
{
    return glob(pattern, flags, failed, (glob_t *)result);
}

void globfree64(glob64_t *result) { globfree((glob_t *)result); }
