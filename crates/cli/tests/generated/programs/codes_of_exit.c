// The exit code is an input: one path for all even ones, one for all odd ones when main returns it; exit is called with each
// of the 19 values beyond.
// same-ways
// cases: 21
#include <stdio.h>
#include <stdlib.h>
extern int klee_range(int, int, const char *);

static void leave(int code) {
    if (code > 100)
        exit(code);
}

int main(void) {
    int code = klee_range(3, 120, "code");
    leave(code);
    if (code & 1)
        putchar('o');
    else
        putchar('e');
    return code;
}
