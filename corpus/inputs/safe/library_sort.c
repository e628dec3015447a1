// qsort and bsearch of numbers of any value. The comparison has no branches, so there is one path for each of the 4! orders;
// the search for the number that is last asks twice more.
// count(dpor)=24
#include <assert.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    int a[4];
    for (int i = 0; i < 4; i++)
        a[i] = __VERIFIER_nondet_int();
    qsort(a, 4, sizeof *a, compare);
    for (int i = 0; i < 3; i++)
        assert(a[i] <= a[i + 1]);
    return 0;
}
