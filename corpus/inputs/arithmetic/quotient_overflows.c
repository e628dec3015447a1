// The least integer divided by -1.
int __VERIFIER_nondet_int(void);

int main(void)
{
    int dividend = __VERIFIER_nondet_int(), divisor = __VERIFIER_nondet_int();
    if (divisor == 0)
        return 0;
    return dividend / divisor == 7; // expect: arithmetic.division-by-zero
}
