// Whatever the variable without a value is, nothing overflows: few of its bits count.
// options: --property arithmetic,overflow
int main(void)
{
    int number, shifted = 1 << (number & 7);
    int low = (number & 0xff) + 1, none = number - number;
    int product = (short)number * (short)number, quotient = number / -2;
    return (low + none + shifted + product + quotient) & 0;
}
