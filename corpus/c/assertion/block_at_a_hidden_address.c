// The address goes through branches alone, so that no analysis of data follows it. The first block
// touches what it is not expected to touch; both orders of the blocks have to be explored all the
// same.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int x, y;
static uintptr_t hidden;

static void *work(void *unused)
{
    __VERIFIER_atomic_begin();
    y = 1;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t thread;
    uintptr_t address = (uintptr_t)&y;
    for (int i = 0; i < 48; i++)
        if (address >> i & 1)
            hidden |= (uintptr_t)1 << i;
    pthread_create(&thread, 0, work, 0);
    __VERIFIER_atomic_begin();
    x = 1;
    int seen = *(int *)hidden;
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
    if (seen)
        assert(!x); // expect: assertion
    else
        assert(!x); // expect: assertion
    return 0;
}
