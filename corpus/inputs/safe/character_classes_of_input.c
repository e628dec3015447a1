// ctype.h on a character of any value: the functions and glibc's tables say the same as the ranges of ASCII.
#include <assert.h>
#include <ctype.h>

unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    int c = __VERIFIER_nondet_uchar();
    // The macro's table, and the function.
    assert(!isdigit(c) == !(isdigit)(c));
    assert(!(isalpha)(c) == !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')));
    assert(!isspace(c) == !(c == ' ' || (c >= 9 && c <= 13)));
    int lower = tolower(c);
    assert(c >= 'A' && c <= 'Z' ? lower == c + 32 : lower == c);
    assert(!(isupper)(lower));
    return 0;
}
