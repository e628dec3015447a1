// One thread spins until a flag is set and clears it, the other spins until it is clear and sets it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *consume(void *unused)
{
    for (;;) {
        while (!atomic_load(&flag)) {
        }
        assert(data == 1);
        data = 0;
        atomic_store(&flag, 0);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, consume, 0);
    for (;;) {
        while (atomic_load(&flag)) {
        }
        assert(data == 0);
        data = 1;
        atomic_store(&flag, 1);
    }
}
