/* What a round has stored decides which lock the next one takes. */
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
static int n, in; static long ca, cb;
static void *work(void *arg) {
    int y = 0;
    for (int i = 0; i < n; i++) {
        if (y == 1) { pthread_mutex_lock(&A); ca++; pthread_mutex_unlock(&A); }
        else { pthread_mutex_lock(&B); cb++; pthread_mutex_unlock(&B); }
        if ((in >> (i & 7)) & 1) y = 1; else y = 2;
    }
    return 0;
}
int main(int argc, char **argv) {
    n = atoi(argv[1]); in = argv[2][0];
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    printf("%ld %ld\n", ca, cb);
    return 0;
}
