// A function that calls itself for ever.
// unknown: call
#pragma clang diagnostic ignored "-Winfinite-recursion"
static int forever(int n)
{
    return forever(n + 1) + 1;
}

int main(void)
{
    return forever(0);
}
