// A shift by the width of the type.
int main(void)
{
    volatile int places = 32;
    return (1 << places) & 0; // expect: arithmetic.shift
}
