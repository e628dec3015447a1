// The environment: what `environ` leads to. It is empty at first. POSIX does not ask that these functions be safe for threads, so a
// change beside another use of the environment is a data race. As in glibc, strings that are replaced stay: somebody may use them.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The array, once the program has changed it by these functions.
static char **own;

static char **find(const char *name, size_t length)
{
    if (environ)
        for (char **at = environ; *at; at++)
            if (!strncmp(*at, name, length) && (*at)[length] == '=')
                return at;
    return 0;
}

char *getenv(const char *name)
{
    size_t length = strlen(name);
    char **found = length ? find(name, length) : 0;
    return found ? *found + length + 1 : 0;
}

char *secure_getenv(const char *name) { return getenv(name); }
char *__secure_getenv(const char *name) { return getenv(name); }

void __selvedge_unsupported(const char *what);

// The time zone and the locale are fixed here (calendar.c, locale.c), so a variable that would change one must not.
static void check(const char *string, size_t length)
{
    const char *value = string + length + 1;
    if (length == 2 && !strncmp(string, "TZ", 2) && strcmp(value, "UTC") && strcmp(value, "UTC0"))
        __selvedge_unsupported("a time zone other than UTC");
    int of_locale = !strncmp(string, "LC_", 3) || !strncmp(string, "LANG", 4);
    if (of_locale && *value && strcmp(value, "C") && strcmp(value, "POSIX"))
        __selvedge_unsupported("a change of the locale by the environment");
}

// Makes a string a part of the environment, in place of one with the same name.
static int add(char *string, size_t length)
{
    check(string, length);
    char **found = find(string, length);
    if (found)
    {
        *found = string;
        return 0;
    }
    size_t count = 0;
    while (environ && environ[count])
        count++;
    char **array = realloc(environ == own ? own : 0, (count + 2) * sizeof *array);
    if (!array)
    {
        errno = ENOMEM;
        return -1;
    }
    if (environ != own)
        memcpy(array, environ, count * sizeof *array);
    array[count] = string;
    array[count + 1] = 0;
    own = environ = array;
    return 0;
}

static int is_no_name(const char *name)
{
    if (name && *name && !strchr(name, '='))
        return 0;
    errno = EINVAL;
    return 1;
}

int setenv(const char *name, const char *value, int overwrite)
{
    if (is_no_name(name))
        return -1;
    size_t length = strlen(name), size = strlen(value) + 1;
    if (!overwrite && find(name, length))
        return 0;
    char *string = malloc(length + 1 + size);
    if (!string)
    {
        errno = ENOMEM;
        return -1;
    }
    memcpy(string, name, length);
    string[length] = '=';
    memcpy(string + length + 1, value, size);
    return add(string, length);
}

int unsetenv(const char *name)
{
    if (is_no_name(name))
        return -1;
    size_t length = strlen(name);
    for (char **found; (found = find(name, length));)
        do
            found[0] = found[1];
        while (*found++);
    return 0;
}

int putenv(char *string)
{
    char *end = strchr(string, '=');
    return end ? add(string, (size_t)(end - string)) : unsetenv(string);
}

int clearenv(void)
{
    if (own && environ == own)
        free(own);
    own = environ = 0;
    return 0;
}
