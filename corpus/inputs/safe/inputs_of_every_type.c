// The value of each input function is in the range of its type, and every value is possible.
#include <assert.h>
#include <limits.h>

_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long nondet_longlong(void);
int klee_range(int begin, int end, const char *name);
int klee_int(const char *name);
unsigned long klee_choose(unsigned long n);

static int reached;

int main(void)
{
    _Bool flag = __VERIFIER_nondet_bool();
    assert(flag == 0 || flag == 1);
    char c = __VERIFIER_nondet_char();
    assert(c >= -128 && c <= 127);
    unsigned char uc = __VERIFIER_nondet_uchar();
    assert(uc <= 255);
    short s = __VERIFIER_nondet_short();
    assert(s >= SHRT_MIN && s <= SHRT_MAX);
    unsigned short us = __VERIFIER_nondet_ushort();
    assert(us <= USHRT_MAX);
    int r = klee_range(-3, 5, "r");
    assert(r >= -3 && r < 5);
    unsigned long chosen = klee_choose(3);
    assert(chosen < 3);
    // One input that is an extreme of each type.
    if (__VERIFIER_nondet_int() == INT_MIN && __VERIFIER_nondet_uint() == UINT_MAX)
        reached++;
    if (__VERIFIER_nondet_long() == LONG_MIN && __VERIFIER_nondet_ulong() == ULONG_MAX)
        reached++;
    if (nondet_longlong() == LLONG_MIN && klee_int("i") == INT_MAX)
        reached++;
    return reached;
}
