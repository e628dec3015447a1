// words: a x
// One barrier of two threads, first for two of them, then for two others, which may arrive early. What a thread has written before
// the barrier its partner reads behind it.
#include <pthread.h>
#include <stdio.h>
static pthread_barrier_t pair;
static int rounds, slots[4], seen[4];

static void *work(void *arg) {
    const int me = *(int *)arg;
    for (volatile int i = 0; me > 1 && i < 20000; i++)
        ;
    for (int round = 0; round < rounds; round++) {
        slots[me] = 10 * round + me + 1;
        pthread_barrier_wait(&pair);
        seen[me] = seen[me] * 3 + slots[me ^ 1];
        pthread_barrier_wait(&pair);
    }
    return 0;
}

int main(int argc, char **argv) {
    static int numbers[4] = {0, 1, 2, 3};
    pthread_t threads[4];
    rounds = argc > 1 && argv[1][0] == 'x' ? 2 : 1;
    pthread_barrier_init(&pair, 0, 2);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, &numbers[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    printf("%d %d %d %d\n", seen[0], seen[1], seen[2], seen[3]);
    return 0;
}
