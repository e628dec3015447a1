// An index that was not checked, into a table of functions.
unsigned char __VERIFIER_nondet_uchar(void);

static int zero(void) { return 0; }
static int one(void) { return 1; }

int main(void)
{
    int (*functions[2])(void) = {zero, one};
    unsigned which = __VERIFIER_nondet_uchar() & 3;
    return functions[which](); // expect: memory.out-of-bounds
}
