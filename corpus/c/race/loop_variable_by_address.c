// The classic: each thread gets the address of the loop variable instead of its value.
#include <pthread.h>

static int seen[2];

static void *work(void *number)
{
    int i = *(int *)number;
    if (i < 2)
        __atomic_store_n(&seen[i], 1, __ATOMIC_RELAXED);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    int i;
    for (i = 0; i < 2; i++) // expect: data-race
        pthread_create(&threads[i], 0, work, &i);
    for (int j = 0; j < 2; j++)
        pthread_join(threads[j], 0);
    return 0;
}
