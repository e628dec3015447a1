// A product of two primes, to be taken apart: no answer within the time that a query has.
// options: --solver-timeout 1s
// unknown: a solver query without an answer
unsigned long __VERIFIER_nondet_ulong(void);

int main(void)
{
    unsigned long a = __VERIFIER_nondet_ulong() & 0xffffffff, b = __VERIFIER_nondet_ulong() & 0xffffffff;
    if (a > 1 && b > 1 && a * b == 8687298342800752309UL)
        return 1;
    return 0;
}
