// strcmp, memcmp and strlen on a buffer that is an input.
// same-ways
// cases: 19
#include <stdio.h>
#include <string.h>
extern void klee_make_symbolic(void *, unsigned long, const char *);

int main(void) {
    char word[5];
    klee_make_symbolic(word, 4, "word");
    word[4] = 0;
    unsigned long length = strlen(word);
    putchar('0' + (int)length);
    if (strcmp(word, "get") == 0)
        return 1;
    if (memcmp(word, "put", 4) == 0)
        return 2;
    if (length == 4 && strncmp(word, "head", 4) == 0)
        return 3;
    return 0;
}
