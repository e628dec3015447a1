// Inputs are fixed: a value that could be anything is not supported yet.
// unknown: symbolic input
int __VERIFIER_nondet_int(void);

int main(void)
{
    return __VERIFIER_nondet_int() == 5;
}
