// An index of any value that was checked first, to read and to write.
#include <assert.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    static const int square[8] = {0, 1, 4, 9, 16, 25, 36, 49};
    int seen[8] = {0};
    unsigned i = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint();
    if (i >= 8 || j >= 8)
        return 0;
    assert(square[i] == (int)(i * i));
    seen[i] = 1;
    assert(seen[j] == (i == j));
    seen[j]++;
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += seen[k];
    assert(sum == 2);
    return 0;
}
