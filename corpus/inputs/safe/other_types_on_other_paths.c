// Which type the second input has depends on the first one.
#include <assert.h>

_Bool __VERIFIER_nondet_bool(void);
unsigned char __VERIFIER_nondet_uchar(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned long __VERIFIER_nondet_ulong(void);

int main(void)
{
    unsigned long x;
    if (__VERIFIER_nondet_bool())
        x = __VERIFIER_nondet_uchar();
    else if (__VERIFIER_nondet_bool())
        x = __VERIFIER_nondet_ulong() >> 60;
    else
        x = __VERIFIER_nondet_uint() % 300;
    assert(x < 300);
    if (x > 255)
        return 1;
    return 0;
}
