// What the programs here share: how many threads, how much work, and starting and joining them.
#include <pthread.h>
#include <stdio.h>
#ifndef THREADS
#define THREADS 2
#endif

// Numbers that look random, the same in each run.
static inline unsigned next_random(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// Calls `body` in so many threads, with their numbers, the last one in the calling thread.
static inline void in_all_threads(void *(*body)(void *)) {
    static int numbers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        numbers[i] = i;
    for (int i = 0; i + 1 < THREADS; i++)
        pthread_create(&threads[i], 0, body, &numbers[i]);
    body(&numbers[THREADS - 1]);
    for (int i = 0; i + 1 < THREADS; i++)
        pthread_join(threads[i], 0);
}
