// The assumptions leave exactly one input, and that one fails.
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int condition);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    __VERIFIER_assume(x < 65536);
    __VERIFIER_assume(x * x == 152399025); // 12345²
    if (x != 12345)
        return 1;
    reach_error(); // expect: assertion.reach-error
    return 0;
}
