// The variable of the loop's body has another value in the next round.
// options: --property assertion
#include <assert.h>
int main(void) {
    int was = 0;
    for (int i = 0; i < 2; i++) {
        int x;
        if (i == 0)
            was = x;
        else
            assert(x == was); // expect: assertion
    }
    return 0;
}
