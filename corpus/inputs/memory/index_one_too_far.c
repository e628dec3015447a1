// The check lets one index too many through.
unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    int a[8] = {0};
    unsigned i = __VERIFIER_nondet_uint();
    if (i > 8)
        return 0;
    a[i] = 1; // expect: memory.out-of-bounds
    return a[0];
}
