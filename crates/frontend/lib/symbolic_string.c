// What a native model of <string.h> cannot do at once: the same functions for symbolic bytes, as ordinary code whose branches
// fork. When the native model of NAME meets a symbolic byte or argument, the machine calls `__selvedge_symbolic_NAME`
// with the same arguments instead.
//
// * Compiled without optimisation, `&&`, `||` and `?:` are branches. Where only the result matters it is computed with masks, so
//   that a byte is branched on once, or (memcmp) not at all.
// * A loop that looks for something in a string leaves its length concrete: then copies are left to the native memcpy, which
//   checks both ranges and whether they overlap.
// * A byte is read only if the function may read it, and what the native model reads in any case is read here, too.

#include <stddef.h>
#include <stdint.h>

void *malloc(size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *at, int byte, size_t size);
void __chk_fail(void);

size_t __selvedge_symbolic_strnlen(const char *text, size_t limit)
{
    size_t length = 0;
    while (length < limit && text[length])
        length++;
    return length;
}

size_t __selvedge_symbolic_strlen(const char *text) { return __selvedge_symbolic_strnlen(text, SIZE_MAX); }

int __selvedge_symbolic_strncmp(const char *a, const char *b, size_t limit)
{
    for (size_t i = 0; i < limit; i++) {
        int x = (unsigned char)a[i], y = (unsigned char)b[i];
        if ((x != y) | (x == 0))
            return x - y;
    }
    return 0;
}

int __selvedge_symbolic_strcmp(const char *a, const char *b) { return __selvedge_symbolic_strncmp(a, b, SIZE_MAX); }

// The result is one expression over a piece of this many bytes: the expression grows with it, the number of paths with the
// number of pieces.
enum { PIECE = 32 };

// The difference of the first bytes that differ, 0 if there are none.
static int difference(const unsigned char *a, const unsigned char *b, size_t size)
{
    int result = 0;
    for (size_t i = 0; i < size; i++) {
        int x = a[i], y = b[i];
        result |= (x - y) & -(result == 0);
    }
    return result;
}

// Reads all it is given, whatever the result.
int __selvedge_symbolic_memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *left = a, *right = b;
    int result = 0, known = 0;
    for (size_t at = 0; at < size; at += PIECE) {
        size_t rest = size - at;
        int here = difference(left + at, right + at, rest < PIECE ? rest : PIECE);
        if (known)
            continue;
        result = here;
        if (rest > PIECE && result != 0)
            known = 1;
    }
    return result;
}

void *__selvedge_symbolic_memchr(const void *at, int c, size_t size)
{
    const unsigned char *byte = at;
    for (; size > 0; size--, byte++)
        if (*byte == (unsigned char)c)
            return (void *)byte;
    return NULL;
}

char *__selvedge_symbolic_strchr(const char *text, int c)
{
    for (;; text++) {
        char here = *text;
        if (here == (char)c)
            return (char *)text;
        if (!here)
            return NULL;
    }
}

// From the end: whether an earlier character is the wanted one, too, is of no interest and makes no paths.
char *__selvedge_symbolic_strrchr(const char *text, int c)
{
    for (size_t left = __selvedge_symbolic_strlen(text) + 1; left > 0; left--)
        if (text[left - 1] == (char)c)
            return (char *)text + left - 1;
    return NULL;
}

char *__selvedge_symbolic_strstr(const char *text, const char *part)
{
    for (size_t length = __selvedge_symbolic_strlen(part);; text++) {
        size_t same = 0;
        while (same < length && text[same] == part[same])
            same++;
        if (same == length)
            return (char *)text;
        if (!text[same])
            return NULL;
    }
}

char *__selvedge_symbolic_strcpy(char *to, const char *from)
{
    return memcpy(to, from, __selvedge_symbolic_strlen(from) + 1);
}

char *__selvedge_symbolic___stpcpy(char *to, const char *from)
{
    size_t length = __selvedge_symbolic_strlen(from);
    return (char *)memcpy(to, from, length + 1) + length;
}

char *__selvedge_symbolic_strncpy(char *to, const char *from, size_t size)
{
    size_t length = __selvedge_symbolic_strnlen(from, size);
    memcpy(to, from, length);
    memset(to + length, 0, size - length);
    return to;
}

char *__selvedge_symbolic_strcat(char *to, const char *from)
{
    __selvedge_symbolic_strcpy(to + __selvedge_symbolic_strlen(to), from);
    return to;
}

char *__selvedge_symbolic_strncat(char *to, const char *from, size_t limit)
{
    char *end = to + __selvedge_symbolic_strlen(to);
    size_t length = __selvedge_symbolic_strnlen(from, limit);
    memcpy(end, from, length);
    end[length] = 0;
    return to;
}

static char *duplicate(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

char *__selvedge_symbolic_strdup(const char *text) { return duplicate(text, __selvedge_symbolic_strlen(text)); }
char *__selvedge_symbolic___strdup(const char *text) { return __selvedge_symbolic_strdup(text); }

char *__selvedge_symbolic___strndup(const char *text, size_t limit)
{
    return duplicate(text, __selvedge_symbolic_strnlen(text, limit));
}

// The fortified variants have the size of the destination as one argument more; more bytes than that are the overflow that
// they exist to stop.

static void fits(size_t needed, size_t size)
{
    if (needed > size)
        __chk_fail();
}

char *__selvedge_symbolic___strcpy_chk(char *to, const char *from, size_t size)
{
    fits(__selvedge_symbolic_strlen(from) + 1, size);
    return __selvedge_symbolic_strcpy(to, from);
}

char *__selvedge_symbolic___stpcpy_chk(char *to, const char *from, size_t size)
{
    fits(__selvedge_symbolic_strlen(from) + 1, size);
    return __selvedge_symbolic___stpcpy(to, from);
}

char *__selvedge_symbolic___strncpy_chk(char *to, const char *from, size_t limit, size_t size)
{
    fits(limit, size);
    return __selvedge_symbolic_strncpy(to, from, limit);
}

char *__selvedge_symbolic___strcat_chk(char *to, const char *from, size_t size)
{
    fits(__selvedge_symbolic_strlen(to) + __selvedge_symbolic_strlen(from) + 1, size);
    return __selvedge_symbolic_strcat(to, from);
}

char *__selvedge_symbolic___strncat_chk(char *to, const char *from, size_t limit, size_t size)
{
    fits(__selvedge_symbolic_strlen(to) + __selvedge_symbolic_strnlen(from, limit) + 1, size);
    return __selvedge_symbolic_strncat(to, from, limit);
}
