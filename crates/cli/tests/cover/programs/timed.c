// words: a x
// A wait with a deadline, and a signal without the mutex: it times out only where nobody signals, and not before the deadline.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, timed_out;
static struct timespec deadline;

static void *wait_for_it(void *arg) {
    pthread_mutex_lock(&m);
    while (!ready && !timed_out)
        timed_out = pthread_cond_timedwait(&c, &m, &deadline) == ETIMEDOUT;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += 2000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_nsec -= 1000000000;
        deadline.tv_sec++;
    }
    pthread_create(&t, 0, wait_for_it, 0);
    if (argc > 1 && argv[1][0] == 'x') {
        pthread_mutex_lock(&m);
        ready = 1;
        pthread_mutex_unlock(&m);
        pthread_cond_signal(&c);
    }
    pthread_join(t, 0);
    printf("%d %d\n", ready, timed_out);
    return 0;
}
