// words: a x
// Barriers of three and of two threads, in rounds: what each thread has written before one, all others read behind it.
#include <pthread.h>
#include <stdio.h>
static pthread_barrier_t all, pair;
static int rounds, slots[3][2], own[2][2], seen[3], serial;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void meet(pthread_barrier_t *barrier) {
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_mutex_lock(&lock);
        serial++;
        pthread_mutex_unlock(&lock);
    }
}

static void *work(void *arg) {
    const int me = *(int *)arg;
    for (int round = 0; round < rounds; round++) {
        slots[me][round] = 10 * round + me + 1;
        meet(&all);
        for (int other = 0; other < 3; other++)
            seen[me] = seen[me] * 3 + slots[other][round];
        if (me < 2) {
            own[me][round] = 10 * round + me + 4;
            meet(&pair);
            seen[me] = seen[me] * 3 + own[1 - me][round];
        }
        meet(&all);
    }
    return 0;
}

int main(int argc, char **argv) {
    static int numbers[3] = {0, 1, 2};
    pthread_t threads[2];
    rounds = argc > 1 && argv[1][0] == 'x' ? 2 : 1;
    pthread_barrier_init(&all, 0, 3);
    pthread_barrier_init(&pair, 0, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, &numbers[i]);
    work(&numbers[2]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    pthread_barrier_destroy(&all);
    printf("%d %d %d %d\n", seen[0], seen[1], seen[2], serial);
    return 0;
}
