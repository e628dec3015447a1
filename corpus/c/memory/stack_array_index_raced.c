// The index is checked under the lock and used without it: by then it may be too large.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int length = 4;

static void *grow(void *unused)
{
    length = 5;
    return unused;
}

int main(void)
{
    int values[4] = {0};
    pthread_t thread;
    pthread_create(&thread, 0, grow, 0);
    int last = values[length - 1]; // expect: memory.out-of-bounds
    pthread_join(thread, 0);
    return last;
}
