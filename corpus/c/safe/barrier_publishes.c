// What each thread wrote before the barrier, all may read after it.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int parts[3];

static void *work(void *part)
{
    *(int *)part = 1;
    pthread_barrier_wait(&barrier);
    assert(parts[0] + parts[1] + parts[2] == 3);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 3);
    pthread_create(&a, 0, work, &parts[0]);
    pthread_create(&b, 0, work, &parts[1]);
    work(&parts[2]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_barrier_destroy(&barrier);
    return 0;
}
