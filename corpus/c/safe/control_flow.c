// switch with ranges and fall-through, nested loops with goto, the conditional operator, short circuits.
#include <assert.h>

static int classify(int x)
{
    switch (x) {
    case -5 ... -1:
        return -1;
    case 0:
        x = 100;
    case 1:
        return x + 1;
    case 1000000:
        return 7;
    default:
        return x > 10 ? 10 : x < 5 ? 5 : 0;
    }
}

int main(void)
{
    int steps = 0;
    assert(classify(-3) == -1 && classify(0) == 101 && classify(1) == 2 && classify(1000000) == 7);
    assert(classify(11) == 10 && classify(3) == 5 && classify(7) == 0);
    for (int i = 0; i < 5; i++)
        for (int j = 0;; j++) {
            if (j == i)
                break;
            if (i == 4 && j == 2)
                goto out;
            steps++;
        }
out:
    assert(steps == 8);
    assert((0 && steps++) || (1 || steps++) ? steps == 8 : 0);
    return 0;
}
