// A loop without a visible action and without an end.
// options: --unroll 1000
// unknown: loop
int main(void)
{
    for (volatile int i = 0;; i++)
        ;
}
