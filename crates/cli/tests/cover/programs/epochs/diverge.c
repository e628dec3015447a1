/* Two counters are the same for long; then one of them misses a round, once. */
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
static pthread_mutex_t same = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int n;
static long taken[2];
static void *work(void *arg) {
    int one = 0, two = 0, missed = 0;
    for (int i = 0; i < n; i++) {
        pthread_mutex_t *lock = one == two ? &same : &other;
        pthread_mutex_lock(lock);
        taken[lock == &other]++;
        pthread_mutex_unlock(lock);
        one++;
        if (i == 20 && !missed) missed = 1;
        else two++;
    }
    return 0;
}
int main(int argc, char **argv) {
    n = atoi(argv[1]);
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    printf("%ld %ld\n", taken[0], taken[1]);
    return 0;
}
