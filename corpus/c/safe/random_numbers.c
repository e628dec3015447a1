// rand_r depends on its seed only; srand makes rand repeat itself.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    unsigned one = 5, other = 5;
    for (int i = 0; i < 4; i++)
        assert(rand_r(&one) == rand_r(&other));
    srand(3);
    int a = rand(), b = rand();
    srand(3);
    assert(rand() == a && rand() == b && a >= 0 && a <= RAND_MAX);
    return 0;
}
