// A text of up to seven characters is copied into room for seven characters with their terminator. Just one length is
// too much.
#include <string.h>

void klee_make_symbolic(void *object, unsigned long size, const char *name);

int main(void)
{
    char text[8], copy[7];
    klee_make_symbolic(text, 7, "text");
    text[7] = 0;
    strcpy(copy, text); // expect: memory.out-of-bounds
    return copy[0];
}
