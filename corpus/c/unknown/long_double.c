// The 80-bit numbers of the x87.
// unknown: x86_fp80
int main(void)
{
    volatile long double x = 1;
    x = x / 3;
    return 0;
}
