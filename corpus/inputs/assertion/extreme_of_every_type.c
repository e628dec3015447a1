// The extremes of the types are among the inputs: of all at once.
#include <limits.h>

void reach_error(void);
_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long nondet_longlong(void);
int klee_range(int begin, int end, const char *name);
unsigned long klee_choose(unsigned long n);

int main(void)
{
    if (__VERIFIER_nondet_bool() && __VERIFIER_nondet_char() == -128 && __VERIFIER_nondet_ushort() == 65535
        && __VERIFIER_nondet_int() == INT_MIN && __VERIFIER_nondet_uint() == UINT_MAX
        && __VERIFIER_nondet_ulong() == ULONG_MAX && nondet_longlong() == LLONG_MIN && klee_range(-3, 5, "r") == 4
        && klee_choose(3) == 2)
        reach_error(); // expect: assertion.reach-error
    return 0;
}
