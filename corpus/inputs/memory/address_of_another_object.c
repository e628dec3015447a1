// An address that the input moves out of its object is never one of another object, whatever is done with it.
// variant: -DHOW=0
// variant: -DHOW=1
// variant: -DHOW=2
// variant: -DHOW=3
// variant: -DHOW=4
// variant: -DHOW=5
// variant: -DHOW=6
// variant: -DHOW=7
// variant: -DHOW=8
// expect-anywhere: memory.out-of-bounds, memory.invalid-pointer, memory.invalid-free
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

unsigned char __VERIFIER_nondet_uchar(void);

struct text {
    char bytes[16];
};

static char a[16], b[16], c[16];
static struct text texts[3];
static atomic_int x[4], y[4], z[4];

int main(void)
{
    unsigned char i = __VERIFIER_nondet_uchar() & 1;
#if HOW == 0
    memset(a + 32 * i, 1, 1);
#elif HOW == 1
    memcpy(a + 32 * i, c, 1);
#elif HOW == 2
    char *first = malloc(16), *second = malloc(16);
    free(first + 32 * i);
    (void)second;
#elif HOW == 3
    atomic_store(&x[8 * i], 1);
#elif HOW == 4
    int none = 0;
    atomic_compare_exchange_strong(&x[8 * i], &none, 1);
#elif HOW == 5
    struct text text = *(struct text *)(a + 32 * i);
    return text.bytes[0];
#elif HOW == 6
    char *table[2] = {a, b}, *place = table[i];
    place += 128;
    *place = 1;
#elif HOW == 7
    // The address is copied in two pieces.
    struct __attribute__((packed)) {
        int number;
        char *place;
    } from = {1, a + 32 * i}, to;
    to = from;
    *to.place = 1;
#else
    static _Atomic(char *) place;
    place = a;
    atomic_exchange(&place, a + 32 * i);
    char *found = place;
    *found = 1;
#endif
    return b[0] + c[0] + texts[0].bytes[0] + y[0] + z[0];
}
