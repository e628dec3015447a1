// Four threads at a barrier for two: whoever pairs with whom, all get through.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&barrier, 0, 2);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, 0);
    work(0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
