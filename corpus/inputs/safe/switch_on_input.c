// A switch on any value: one path for each of its cases and one for the rest.
// count(dpor)=5
#include <assert.h>

int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = 0;
    switch (x) {
    case -1:
        y = 1;
        break;
    case 0:
        y = 2;
        break;
    case 7:
        y = 3;
        break;
    case 1000000:
        y = 4;
        break;
    default:
        assert(x != 0 && x != 7);
    }
    assert(y == 0 || x == -1 || x == 0 || x == 7 || x == 1000000);
    return y;
}
