// What the programs here share: N threads, each with its number from 0.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static inline void run(int count, void *(*work)(void *))
{
    pthread_t threads[count];
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
}
