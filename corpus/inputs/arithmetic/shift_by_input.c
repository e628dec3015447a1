// A distance of 32 or more is in the range of the input.
unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned distance = __VERIFIER_nondet_uint();
    if (distance > 32)
        return 0;
    return (1u << distance) & 0; // expect: arithmetic.shift
}
