// Inputs are printed, into a string, too: what is printed makes no difference to anything else.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int __VERIFIER_nondet_int(void);
char __VERIFIER_nondet_char(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    char c = __VERIFIER_nondet_char();
    printf("%d %c\n", x, c);
    char text[8];
    if (x < 0 || x > 3)
        return 0;
    int length = snprintf(text, sizeof text, "<%d>", x);
    assert(length == 3 && strlen(text) == 3);
    assert(text[1] == '0' + x && text[2] == '>');
    return 0;
}
