// A value that could be anything, and one branch on it: two paths.
// count(dpor)=2
int __VERIFIER_nondet_int(void);

int main(void)
{
    if (__VERIFIER_nondet_int() == 5)
        return 1;
    return 0;
}
