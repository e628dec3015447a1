// Symbolic bytes that are printed: only where a text ends is a decision.
// same-ways
// cases: 5
#include <stdio.h>
#include <unistd.h>
extern void klee_make_symbolic(void *, unsigned long, const char *);

int main(void) {
    char text[4];
    klee_make_symbolic(text, 3, "text");
    text[3] = 0;
    write(1, text, 3);
    fwrite(text + 1, 1, 2, stdout);
    if (text[0] == '!')
        return 1;
    puts(text);
    printf("<%s> <%.1s> %5.2f\n", text, text, 1.5);
    fputs(text, stderr);
    return 0;
}
