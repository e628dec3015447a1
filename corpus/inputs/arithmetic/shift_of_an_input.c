// A signed number of any value, shifted: the result may not fit. What was tested to fit does.
// options: --property overflow
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int number = __VERIFIER_nondet_int(), bits = __VERIFIER_nondet_int();
    if (bits < 0 || bits > 31)
        return 0;
    if (number >= 0 && number < 4 && bits < 29)
        return number << bits;
    if (number == -1)
        return number << bits;
    return number << bits; // expect: arithmetic.signed-overflow
}
