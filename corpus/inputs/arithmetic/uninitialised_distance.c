// The distance of a shift may be anything if it was never written.
// options: --property arithmetic
int main(void)
{
    unsigned distance;
    return (1u << distance) & 0; // expect: arithmetic.shift
}
