// One of all inputs is zero.
int __VERIFIER_nondet_int(void);

int main(void)
{
    int divisor = __VERIFIER_nondet_int();
    int quotient = 1000 / divisor; // expect: arithmetic.division-by-zero
    return quotient > 1000;
}
