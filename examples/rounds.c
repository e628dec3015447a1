// Rounds of two threads that meet at a barrier: as many as the argument says (docs/cover.md).
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
static pthread_barrier_t barrier;
static int rounds;
static long sum[2];
static void *work(void *arg) {
    int me = (int)(long)arg;
    for (int i = 0; i < rounds; i++) {
        sum[me] += i;
        pthread_barrier_wait(&barrier);
    }
    return 0;
}
int main(int argc, char **argv) {
    rounds = atoi(argv[1]);
    pthread_t t[2];
    pthread_barrier_init(&barrier, 0, 2);
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    printf("%ld\n", sum[0] + sum[1]);
    return 0;
}
