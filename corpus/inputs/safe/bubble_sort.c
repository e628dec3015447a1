// Bubble sort of N numbers of any value: one path for each of the N! orders, and the result is in order on all of them.
// variant: -DN=3 count(dpor)=6
// variant: -DN=4 count(dpor)=24
#include <assert.h>

int __VERIFIER_nondet_int(void);

int main(void)
{
    int a[N];
    for (int i = 0; i < N; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < N - 1; i++)
        for (int j = 0; j + 1 < N - i; j++)
            if (a[j] > a[j + 1]) {
                int larger = a[j];
                a[j] = a[j + 1];
                a[j + 1] = larger;
            }
    for (int i = 0; i + 1 < N; i++)
        assert(a[i] <= a[i + 1]);
    return 0;
}
