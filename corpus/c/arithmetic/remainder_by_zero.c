// The remainder needs a divisor too.
int main(void)
{
    volatile unsigned long size = 0;
    return 17 % size & 0; // expect: arithmetic.division-by-zero
}
