// The gaps of a structure are undefined, and its members are not. Neither are the bits that a
// read-modify-write defines.
#include <assert.h>
#include <stdatomic.h>

typedef struct {
    char c;
    short s;
} pair;

static _Atomic pair shared;

static union {
    unsigned char bytes[4];
    unsigned word;
} half;

int main(void)
{
    pair next;
    next.c = 1;
    next.s = 2;
    pair old = atomic_exchange(&shared, next);
    assert(old.s == 0);
    pair now = shared;
    assert(now.c == 1 && now.s == 2);

    unsigned local;
    ((unsigned char *)&local)[0] = 5;
    __atomic_fetch_or(&local, 2, __ATOMIC_RELAXED);
    assert(((unsigned char *)&local)[0] == 7);
    __atomic_fetch_add(&local, 1, __ATOMIC_RELAXED);
    assert(((unsigned char *)&local)[0] == 8);

    // An address that has left its block may come back.
    char block[16] = "come back";
    char *p = block;
    __atomic_fetch_add(&p, 64, __ATOMIC_RELAXED);
    p = __atomic_sub_fetch(&p, 64, __ATOMIC_RELAXED);
    assert(*p == 'c');
    half.word = 0;
    return half.bytes[0];
}
