// N threads, each `int v = x; x = v + 1;` without protection, under visibility memory: for 2 to 5 threads 4, 36, 576 and
// 14,400 executions.
#include <pthread.h>

static int x;

static void *add(void *unused)
{
    int v = x;
    x = v + 1;
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
