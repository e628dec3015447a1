// Operations that commute once it is known how they end: failing tries, signals to different waiters and to nobody, exchanges that fail.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static atomic_int a;
static void *wait(void *arg) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
static void *try(void *arg) {
    int no = 5;
    long r = pthread_mutex_trylock(&m);
    if (!r) pthread_mutex_unlock(&m);
    r += atomic_compare_exchange_strong(&a, &no, 1);
    r += sem_trywait(&s);
    pthread_cond_signal(&c);
    return (void *)r;
}
int main(void) {
    pthread_t t[3];
    sem_init(&s, 0, 0);
    pthread_create(&t[0], 0, wait, 0);
    pthread_create(&t[1], 0, try, 0);
    pthread_create(&t[2], 0, try, 0);
    sem_post(&s);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}
