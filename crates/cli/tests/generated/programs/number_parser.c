// Three characters as a number: an optional sign, digits, the end. The cases are the shapes, not the numbers.
// cases: 22
#include <stdio.h>
extern void klee_make_symbolic(void *, unsigned long, const char *);

int main(void) {
    char text[4];
    klee_make_symbolic(text, 3, "text");
    text[3] = 0;
    const char *at = text;
    int negative = 0, digits = 0;
    long value = 0;
    if (*at == '-') {
        negative = 1;
        at++;
        putchar('-');
    } else if (*at == '+') {
        at++;
        putchar('+');
    }
    while (*at >= '0' && *at <= '9') {
        value = value * 10 + (*at - '0');
        digits++;
        at++;
        putchar('d');
    }
    if (digits == 0)
        putchar('?');
    else if (*at != 0)
        putchar('x');
    if (negative)
        value = -value;
    return value > 500 ? 2 : value < -50 ? 3 : 1;
}
