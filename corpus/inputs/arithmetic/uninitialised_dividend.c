// The least number, divided by -1: the dividend was never written, the divisor is an input.
// options: --property arithmetic
int __VERIFIER_nondet_int(void);

int main(void)
{
    int dividend, divisor = __VERIFIER_nondet_int();
    if (divisor > -1 || divisor < -2)
        return 0;
    return dividend / divisor == 7; // expect: arithmetic.division-by-zero
}
