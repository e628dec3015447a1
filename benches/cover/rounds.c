// Rounds of threads that meet at a barrier: as many as the argument says. Each checks where it is.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t barrier;
static int rounds;
static long sum[THREADS];

static void *work(void *argument) {
    long me = (long)argument;
    for (int i = 0; i < rounds; i++) {
        assert(0 <= i && i < rounds);
        sum[me] += i;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    (void)argc;
    rounds = atoi(argv[1]);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", sum[0]);
    return 0;
}
