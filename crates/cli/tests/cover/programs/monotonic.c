// words: a x
// A wait by the clock that the condition variable was given. It is made anew with the usual clock.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static int done;

static struct timespec soon(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += 2000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

static void *finishes(void *arg) {
    pthread_mutex_lock(&m);
    done = *(char *)arg == 'x';
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

static int waits(clockid_t clock) {
    struct timespec t = soon(clock), now;
    int late = 0;
    pthread_mutex_lock(&m);
    while (!done && !late)
        late = pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT;
    pthread_mutex_unlock(&m);
    clock_gettime(clock, &now);
    // Not before the deadline, and not much later: another clock is years away.
    if (late && (now.tv_sec < t.tv_sec || now.tv_sec > t.tv_sec + 100))
        return -1;
    return late;
}

int main(int argc, char **argv) {
    pthread_t t;
    pthread_condattr_t a;
    if (argc < 2)
        return 1;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&c, &a);
    pthread_create(&t, 0, finishes, argv[1]);
    int first = waits(CLOCK_MONOTONIC);
    pthread_join(t, 0);
    pthread_cond_destroy(&c);
    pthread_cond_init(&c, 0);
    int second = waits(CLOCK_REALTIME);
    printf("%d %d\n", first, second);
    return first != second || first != (argv[1][0] != 'x');
}
