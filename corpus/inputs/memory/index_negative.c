// An index is compared with the end, and not with the beginning.
signed char __VERIFIER_nondet_char(void);

static int table[128];

int main(void)
{
    int i = __VERIFIER_nondet_char();
    return table[i]; // expect: memory.out-of-bounds
}
