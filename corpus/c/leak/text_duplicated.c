// What strdup, strndup and asprintf allocate is the caller's.
// options: --property memory,leak
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t length(const char *text)
{
    char *copy = strdup(text); // expect: memory.leak
    char *part = strndup(text, 2); // expect: memory.leak
    size_t length = strlen(copy) + strlen(part);
    return length;
}

int main(void)
{
    char *text;
    if (asprintf(&text, "%d", 12345) < 0) // expect: memory.leak
        return 1;
    return length(text) == 7 ? 0 : 1;
}
