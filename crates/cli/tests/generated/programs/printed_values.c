// What is printed depends on inputs that no branch looks at.
// cases: 3
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    unsigned char letter = __VERIFIER_nondet_uchar();
    printf("%d %u %x\n", x, letter, (unsigned)x ^ 0xffu);
    if (letter >= 'a' && letter <= 'z')
        printf("<%c>\n", letter);
    return 0;
}
