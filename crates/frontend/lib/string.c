// The functions of <string.h> and <strings.h> that are called too seldom to need a native model. (The hot ones are
// native.) Texts are compared by bytes: the C locale. Conditions on one character are joined by `|` and `&` instead of `||`
// and `&&`, which are branches: a symbolic character is branched on once.

#include <stddef.h>
#include <stdint.h>

void *malloc(size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t limit);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t limit);
int memcmp(const void *a, const void *b, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *at, int byte, size_t size);
int tolower(int c);

// Whether a set has c, which NUL never is. Looks at the whole set.
static int contains(const char *set, char c)
{
    int found = 0;
    for (; *set; set++)
        found |= *set == c;
    return found;
}

size_t strspn(const char *text, const char *accept)
{
    size_t length = 0;
    while (contains(accept, text[length]))
        length++;
    return length;
}

size_t strcspn(const char *text, const char *reject)
{
    size_t length = 0;
    while (!((text[length] == 0) | contains(reject, text[length])))
        length++;
    return length;
}

char *strpbrk(const char *text, const char *accept)
{
    text += strcspn(text, accept);
    return *text ? (char *)text : NULL;
}

char *strsep(char **at, const char *delimiters)
{
    char *start = *at;
    if (!start)
        return NULL;
    char *end = start + strcspn(start, delimiters);
    if (*end) {
        *end = 0;
        *at = end + 1;
    } else {
        *at = NULL;
    }
    return start;
}

char *strtok_r(char *text, const char *delimiters, char **save)
{
    if (!text)
        text = *save;
    text += strspn(text, delimiters);
    if (!*text) {
        *save = text;
        return NULL;
    }
    char *end = text + strcspn(text, delimiters);
    if (*end)
        *end++ = 0;
    *save = end;
    return text;
}

char *__strtok_r(char *text, const char *delimiters, char **save) { return strtok_r(text, delimiters, save); }

char *strchrnul(const char *text, int c)
{
    while ((*text != 0) & (*text != (char)c))
        text++;
    return (char *)text;
}

char *index(const char *text, int c)
{
    char *at = strchrnul(text, c);
    return *at == (char)c ? at : NULL;
}

// From the end, so that an earlier character makes no paths.
char *rindex(const char *text, int c)
{
    for (size_t left = strlen(text) + 1; left > 0; left--)
        if (text[left - 1] == (char)c)
            return (char *)text + left - 1;
    return NULL;
}

void *memrchr(const void *at, int c, size_t size)
{
    while (size-- > 0)
        if (((const unsigned char *)at)[size] == (unsigned char)c)
            return (char *)at + size;
    return NULL;
}

void *rawmemchr(const void *at, int c)
{
    const unsigned char *byte = at;
    while (*byte != (unsigned char)c)
        byte++;
    return (void *)byte;
}

void *memmem(const void *text, size_t size, const void *part, size_t part_size)
{
    for (size_t at = 0; part_size <= size && at <= size - part_size; at++)
        if (memcmp((const char *)text + at, part, part_size) == 0)
            return (char *)text + at;
    return NULL;
}

void *memccpy(void *to, const void *from, int c, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char byte = ((const char *)from)[i];
        ((char *)to)[i] = byte;
        if (byte == (char)c)
            return (char *)to + i + 1;
    }
    return NULL;
}

void *mempcpy(void *to, const void *from, size_t size) { return (char *)memcpy(to, from, size) + size; }
int bcmp(const void *a, const void *b, size_t size) { return memcmp(a, b, size); }
void bcopy(const void *from, void *to, size_t size) { memmove(to, from, size); }
void bzero(void *at, size_t size) { memset(at, 0, size); }
void explicit_bzero(void *at, size_t size) { memset(at, 0, size); }

char *stpcpy(char *to, const char *from)
{
    while ((*to = *from++))
        to++;
    return to;
}

char *stpncpy(char *to, const char *from, size_t size)
{
    size_t length = strnlen(from, size);
    memcpy(to, from, length);
    memset(to + length, 0, size - length);
    return to + length;
}

size_t strlcpy(char *to, const char *from, size_t size)
{
    size_t length = strlen(from);
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(to, from, copied);
        to[copied] = 0;
    }
    return length;
}

size_t strlcat(char *to, const char *from, size_t size)
{
    size_t start = strnlen(to, size);
    return start + (start == size ? strlen(from) : strlcpy(to + start, from, size - start));
}

char *strndup(const char *text, size_t limit)
{
    size_t length = strnlen(text, limit);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

int strncasecmp(const char *a, const char *b, size_t limit)
{
    for (size_t i = 0; i < limit; i++) {
        int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);
        if ((x != y) | (x == 0))
            return x - y;
    }
    return 0;
}

int strcasecmp(const char *a, const char *b) { return strncasecmp(a, b, SIZE_MAX); }

char *strcasestr(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (;; text++) {
        if (strncasecmp(text, part, length) == 0)
            return (char *)text;
        if (!*text)
            return NULL;
    }
}

int strcoll(const char *a, const char *b) { return strcmp(a, b); }
size_t strxfrm(char *to, const char *from, size_t size) { return strlcpy(to, from, size); }

void swab(const void *from, void *to, ptrdiff_t size)
{
    for (ptrdiff_t i = 0; i + 1 < size; i += 2) {
        char first = ((const char *)from)[i];
        ((char *)to)[i] = ((const char *)from)[i + 1];
        ((char *)to)[i + 1] = first;
    }
}
