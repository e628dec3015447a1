// Sorts numbers digit by digit: counts, sums of counts along a chain of semaphores, and moves, with barriers between. As
// radix of SPLASH-2, whose sums go along a tree. The input chooses one or two digits.
#include "common.h"
#include <semaphore.h>
#ifndef NUMBERS
#define NUMBERS 4000
#endif
#define DIGITS 16
static unsigned keys[2][NUMBERS], counts[THREADS][DIGITS], before[THREADS][DIGITS];
static sem_t summed[THREADS];
static pthread_barrier_t all;
static int rounds = 2;

static void *work(void *arg) {
    int me = *(int *)arg, from = me * NUMBERS / THREADS, to = (me + 1) * NUMBERS / THREADS;
    for (int round = 0; round < rounds; round++) {
        unsigned *x = keys[round & 1], *y = keys[!(round & 1)];
        int shift = 4 * round;
        for (int d = 0; d < DIGITS; d++)
            counts[me][d] = 0;
        for (int i = from; i < to; i++)
            counts[me][x[i] >> shift & 15]++;
        if (me > 0)
            sem_wait(&summed[me - 1]);
        for (int d = 0; d < DIGITS; d++)
            before[me][d] = me ? before[me - 1][d] + counts[me - 1][d] : 0;
        sem_post(&summed[me]);
        pthread_barrier_wait(&all);
        unsigned place[DIGITS], smaller = 0;
        for (int d = 0; d < DIGITS; d++) {
            place[d] = smaller + before[me][d];
            smaller += before[THREADS - 1][d] + counts[THREADS - 1][d];
        }
        for (int i = from; i < to; i++)
            y[place[x[i] >> shift & 15]++] = x[i];
        pthread_barrier_wait(&all);
    }
    return 0;
}

int main(int argc, char **argv) {
    unsigned seed = 1;
    if (argc > 1 && argv[1][0] == '1')
        rounds = 1;
    for (int i = 0; i < NUMBERS; i++)
        keys[0][i] = next_random(&seed) & 255;
    for (int i = 0; i < THREADS; i++)
        sem_init(&summed[i], 0, 0);
    pthread_barrier_init(&all, 0, THREADS);
    in_all_threads(work);
    unsigned sum = 0;
    for (int i = 0; i < NUMBERS; i++)
        sum = sum * 31 + keys[rounds & 1][i];
    printf("%u\n", sum);
    return 0;
}
