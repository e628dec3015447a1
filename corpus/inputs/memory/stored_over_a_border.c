// The address is kept at an odd place, and belongs to its block when it is loaded again.
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

struct __attribute__((packed)) odd {
    char before[61];
    char *p;
};

int main(void)
{
    char *a = malloc(16), *b = malloc(16);
    unsigned char i = __VERIFIER_nondet_uchar();
    if (i > 3)
        return 0;
    struct odd s;
    s.p = a + i;
    char *p = s.p;
    p += 32;
    *p = 1; // expect: memory.out-of-bounds
    free(a);
    free(b);
    return 0;
}
