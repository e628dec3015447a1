// The slow forms of the memory and string functions that have native models. Under visibility `memory` every access is a
// scheduling point, and a native model would make all of its accesses at once: there a call of NAME runs
// `__selvedge_NAME` instead, element by element, so that another thread can be seen to come between.

#include <stddef.h>
#include <stdint.h>

void *malloc(size_t size);

// The largest power of two up to 8 that divides both addresses and is not larger than what is left: real
// implementations copy words, so a copy of aligned words is torn between words only.
static size_t word(uintptr_t a, uintptr_t b, size_t left)
{
    size_t size = 8;
    while (size > 1 && ((a | b) % size != 0 || left < size))
        size /= 2;
    return size;
}

static void copy_word(char *to, const char *from, size_t size)
{
    switch (size) {
    case 8:
        *(uint64_t *)to = *(const uint64_t *)from;
        break;
    case 4:
        *(uint32_t *)to = *(const uint32_t *)from;
        break;
    case 2:
        *(uint16_t *)to = *(const uint16_t *)from;
        break;
    default:
        *to = *from;
    }
}

void *__selvedge_memcpy(void *to, const void *from, size_t size)
{
    char *target = to;
    const char *source = from;
    while (size > 0) {
        size_t step = word((uintptr_t)target, (uintptr_t)source, size);
        copy_word(target, source, step);
        target += step;
        source += step;
        size -= step;
    }
    return to;
}

void *__selvedge_memmove(void *to, const void *from, size_t size)
{
    if ((uintptr_t)to - (uintptr_t)from >= size)
        return __selvedge_memcpy(to, from, size);
    // The target begins inside of the source: from the end.
    while (size > 0) {
        size_t step = word((uintptr_t)to + size, (uintptr_t)from + size, size);
        size -= step;
        copy_word((char *)to + size, (const char *)from + size, step);
    }
    return to;
}

void *__selvedge_memset(void *at, int byte, size_t size)
{
    const uint64_t pattern = 0x0101010101010101u * (unsigned char)byte;
    char *target = at;
    while (size > 0) {
        size_t step = word((uintptr_t)target, 0, size);
        copy_word(target, (const char *)&pattern, step);
        target += step;
        size -= step;
    }
    return at;
}

int __selvedge_memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *left = a, *right = b;
    for (size_t i = 0; i < size; i++) {
        unsigned char x = left[i], y = right[i];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

void *__selvedge_memchr(const void *at, int c, size_t size)
{
    const unsigned char *byte = at;
    for (; size > 0; size--, byte++)
        if (*byte == (unsigned char)c)
            return (void *)byte;
    return NULL;
}

size_t __selvedge_strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

size_t __selvedge_strnlen(const char *text, size_t limit)
{
    size_t length = 0;
    while (length < limit && text[length])
        length++;
    return length;
}

char *__selvedge_strcpy(char *to, const char *from)
{
    for (size_t i = 0;; i++) {
        char c = from[i];
        to[i] = c;
        if (!c)
            return to;
    }
}

char *__selvedge_strncpy(char *to, const char *from, size_t size)
{
    size_t i = 0;
    for (; i < size; i++) {
        char c = from[i];
        to[i] = c;
        if (!c)
            break;
    }
    for (; i < size; i++)
        to[i] = 0;
    return to;
}

char *__selvedge_strcat(char *to, const char *from)
{
    __selvedge_strcpy(to + __selvedge_strlen(to), from);
    return to;
}

char *__selvedge_strncat(char *to, const char *from, size_t limit)
{
    char *end = to + __selvedge_strlen(to);
    size_t i = 0;
    for (; i < limit; i++) {
        char c = from[i];
        if (!c)
            break;
        end[i] = c;
    }
    end[i] = 0;
    return to;
}

int __selvedge_strncmp(const char *a, const char *b, size_t limit)
{
    for (size_t i = 0; i < limit; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (x != y)
            return x < y ? -1 : 1;
        if (!x)
            return 0;
    }
    return 0;
}

int __selvedge_strcmp(const char *a, const char *b) { return __selvedge_strncmp(a, b, SIZE_MAX); }

char *__selvedge_strchr(const char *text, int c)
{
    for (;; text++) {
        char here = *text;
        if (here == (char)c)
            return (char *)text;
        if (!here)
            return NULL;
    }
}

char *__selvedge_strrchr(const char *text, int c)
{
    const char *last = NULL;
    for (;; text++) {
        char here = *text;
        if (here == (char)c)
            last = text;
        if (!here)
            return (char *)last;
    }
}

char *__selvedge_strstr(const char *text, const char *part)
{
    size_t length = __selvedge_strlen(part);
    for (;; text++) {
        if (__selvedge_strncmp(text, part, length) == 0)
            return (char *)text;
        if (!*text)
            return NULL;
    }
}

char *__selvedge_strdup(const char *text)
{
    size_t size = __selvedge_strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? __selvedge_memcpy(copy, text, size) : NULL;
}
