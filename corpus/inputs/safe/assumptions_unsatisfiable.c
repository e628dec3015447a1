// No input fulfils both assumptions, so nothing behind them is reached: by comparison of an input with itself, by two
// ranges that are apart, and by arithmetic (squares are 0, 1, 4 or 9 modulo 16).
// variant: -DKIND=1
// variant: -DKIND=2
// variant: -DKIND=3
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int condition);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
#if KIND == 1
    __VERIFIER_assume(x != x);
#elif KIND == 2
    __VERIFIER_assume(x < 5);
    __VERIFIER_assume(x > 7);
#else
    __VERIFIER_assume(x < 65536);
    __VERIFIER_assume(x * x % 16 == 3);
#endif
    reach_error();
    return 0;
}
