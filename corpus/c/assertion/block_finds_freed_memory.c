// The block reads an allocated object at an address that no analysis of data follows. If the object
// is freed first, the block is at fault, which is not asked for here; in the other order the
// assertion fails. An access that fails is one, too.
// options: --property assertion --visibility memory
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int x;
static uintptr_t hidden;

static void *work(void *unused)
{
    __VERIFIER_atomic_begin();
    x = *(int *)hidden;
    __VERIFIER_atomic_end();
    assert(x != 1); // expect: assertion
    return unused;
}

int main(void)
{
    pthread_t thread;
    int *object = malloc(sizeof *object);
    *object = 1;
    uintptr_t address = (uintptr_t)object;
    for (int i = 0; i < 48; i++)
        if (address >> i & 1)
            hidden |= (uintptr_t)1 << i;
    pthread_create(&thread, 0, work, 0);
    free(object);
    pthread_join(thread, 0);
    return 0;
}
