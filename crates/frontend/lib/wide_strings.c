// Strings of wide characters, as the C standard has them (7.31.4), but for numbers and collation.
#include <stddef.h>
#include <stdlib.h>
#include <wchar.h>

size_t wcslen(const wchar_t *string)
{
    size_t length = 0;
    while (string[length])
        length++;
    return length;
}

size_t wcsnlen(const wchar_t *string, size_t most)
{
    size_t length = 0;
    while (length < most && string[length])
        length++;
    return length;
}

wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
    return to;
}

wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t count)
{
    if (to <= from)
        return wmemcpy(to, from, count);
    while (count-- > 0)
        to[count] = from[count];
    return to;
}

wchar_t *wmemset(wchar_t *to, wchar_t character, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = character;
    return to;
}

int wmemcmp(const wchar_t *one, const wchar_t *other, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
    return 0;
}

wchar_t *wmemchr(const wchar_t *in, wchar_t character, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (in[i] == character)
            return (wchar_t *)in + i;
    return NULL;
}

wchar_t *wcscpy(wchar_t *to, const wchar_t *from) { return wmemcpy(to, from, wcslen(from) + 1); }

wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t count)
{
    size_t length = wcsnlen(from, count);
    wmemcpy(to, from, length);
    wmemset(to + length, 0, count - length);
    return to;
}

wchar_t *wcscat(wchar_t *to, const wchar_t *from)
{
    wcscpy(to + wcslen(to), from);
    return to;
}

wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t count)
{
    wchar_t *end = to + wcslen(to);
    size_t length = wcsnlen(from, count);
    wmemcpy(end, from, length);
    end[length] = 0;
    return to;
}

int wcsncmp(const wchar_t *one, const wchar_t *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
        if (!one[i])
            break;
    }
    return 0;
}

int wcscmp(const wchar_t *one, const wchar_t *other)
{
    while (*one && *one == *other) {
        one++;
        other++;
    }
    return *one == *other ? 0 : *one < *other ? -1 : 1;
}

wchar_t *wcschr(const wchar_t *string, wchar_t character)
{
    for (;; string++) {
        if (*string == character)
            return (wchar_t *)string;
        if (!*string)
            return NULL;
    }
}

wchar_t *wcsrchr(const wchar_t *string, wchar_t character)
{
    const wchar_t *last = NULL;
    for (;; string++) {
        if (*string == character)
            last = string;
        if (!*string)
            return (wchar_t *)last;
    }
}

size_t wcsspn(const wchar_t *string, const wchar_t *set)
{
    size_t length = 0;
    while (string[length] && wcschr(set, string[length]))
        length++;
    return length;
}

size_t wcscspn(const wchar_t *string, const wchar_t *set)
{
    size_t length = 0;
    while (string[length] && !wcschr(set, string[length]))
        length++;
    return length;
}

wchar_t *wcspbrk(const wchar_t *string, const wchar_t *set)
{
    string += wcscspn(string, set);
    return *string ? (wchar_t *)string : NULL;
}

wchar_t *wcsstr(const wchar_t *in, const wchar_t *string)
{
    size_t length = wcslen(string);
    for (;; in++) {
        if (wcsncmp(in, string, length) == 0)
            return (wchar_t *)in;
        if (!*in)
            return NULL;
    }
}

wchar_t *wcstok(wchar_t *string, const wchar_t *set, wchar_t **rest)
{
    if (!string)
        string = *rest;
    if (!string)
        return NULL;
    string += wcsspn(string, set);
    if (!*string) {
        *rest = NULL;
        return NULL;
    }
    wchar_t *end = string + wcscspn(string, set);
    *rest = *end ? end + 1 : NULL;
    *end = 0;
    return string;
}

wchar_t *wcsdup(const wchar_t *string)
{
    size_t count = wcslen(string) + 1;
    wchar_t *copy = malloc(count * sizeof *copy);
    return copy ? wmemcpy(copy, string, count) : NULL;
}
