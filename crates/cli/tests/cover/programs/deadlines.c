// words: a b c d x
// Locks and semaphores with a deadline. They give up only where no other thread can move, and not before the deadline.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t taken;
static sem_t s;
static int got, gave_up;
static char what;

static struct timespec soon(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += 3000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

static void *tries(void *arg) {
    struct timespec t = soon(CLOCK_REALTIME), u = soon(CLOCK_MONOTONIC);
    int result = 0;
    pthread_barrier_wait(&taken);
    switch (what) {
    case 'a': // The holder waits for this thread: in vain.
        result = pthread_mutex_timedlock(&m, &t);
        break;
    case 'b': // The holder goes on: it gets the lock.
        result = pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &u);
        if (!result)
            pthread_mutex_unlock(&m);
        break;
    case 'c':
        result = pthread_rwlock_timedrdlock(&l, &t);
        break;
    case 'd': // Nobody posts.
        result = sem_timedwait(&s, &t) ? errno : 0;
        break;
    default: // Main posts.
        result = sem_clockwait(&s, CLOCK_MONOTONIC, &u) ? errno : 0;
        break;
    }
    got += !result;
    gave_up += result == ETIMEDOUT;
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    what = argc > 1 ? argv[1][0] : 0;
    pthread_barrier_init(&taken, 0, 2);
    sem_init(&s, 0, 0);
    pthread_mutex_lock(&m);
    pthread_rwlock_wrlock(&l);
    pthread_create(&t, 0, tries, 0);
    pthread_barrier_wait(&taken);
    if (what == 'b')
        pthread_mutex_unlock(&m);
    if (what < 'a' || what > 'd')
        sem_post(&s);
    pthread_join(t, 0);
    printf("%d %d\n", got, gave_up);
    return got + gave_up != 1 || gave_up != (what == 'a' || what == 'c' || what == 'd');
}
