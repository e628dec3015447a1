// Objects that one thread makes and others free, passed on under locks, by posts and by exchanges; their slots are used again.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int *) slot;
static int *given[2];
static sem_t posted;
static void *one(void *arg) {
    free(given[0]);
    sem_post(&posted);
    int *own = malloc(sizeof *own);
    *own = 1;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    free(atomic_exchange(&slot, own));
    return 0;
}
static void *two(void *arg) {
    free(given[1]);
    sem_post(&posted);
    pthread_mutex_lock(&m);
    free(malloc(4));
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    sem_init(&posted, 0, 0);
    for (int i = 0; i < 2; i++) {
        given[i] = malloc(sizeof(pthread_mutex_t));
        pthread_mutex_init((pthread_mutex_t *)given[i], 0);
        pthread_mutex_lock((pthread_mutex_t *)given[i]);
        pthread_mutex_unlock((pthread_mutex_t *)given[i]);
    }
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    sem_wait(&posted);
    int *again = malloc(sizeof(pthread_mutex_t));
    pthread_mutex_init((pthread_mutex_t *)again, 0);
    sem_wait(&posted);
    free(atomic_exchange(&slot, malloc(4)));
    pthread_join(a, 0);
    pthread_join(b, 0);
    free(malloc(4));
    free(again);
    return 0;
}
