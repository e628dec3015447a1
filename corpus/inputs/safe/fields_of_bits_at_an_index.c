// Elements of which some bits are undefined, read and written at an index that the input names.
#include <assert.h>

unsigned char __VERIFIER_nondet_uchar(void);

struct bits {
    unsigned char x : 3, y : 3;
};

struct gap {
    unsigned char first;
    unsigned short second;
};

static int sum(struct gap gap) { return gap.first + gap.second; }

int main(void)
{
    struct bits bits[4];
    struct gap gaps[4];
    for (int at = 0; at < 4; at++) {
        bits[at].x = 1;
        bits[at].y = at;
        gaps[at].first = 1;
        gaps[at].second = at;
    }
    unsigned char i = __VERIFIER_nondet_uchar() & 3;
    assert(bits[i].y == i);
    bits[i].y = 5;
    assert(bits[i].y == 5 && bits[i].x == 1);
    assert(sum(gaps[i]) == i + 1);
    return 0;
}
