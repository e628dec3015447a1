// A comparison with a constant text: just one of all inputs gets through.
#include <string.h>

void reach_error(void);
void klee_make_symbolic(void *object, unsigned long size, const char *name);

int main(void)
{
    char text[16];
    klee_make_symbolic(text, sizeof text, "text");
    text[15] = 0;
    if (strcmp(text, "open sesame") == 0)
        reach_error(); // expect: assertion.reach-error
    return 0;
}
