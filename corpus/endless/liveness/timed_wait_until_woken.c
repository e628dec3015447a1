// A thread waits with a deadline until somebody wakes it, and nobody does. A wait may end without a
// signal, but none has to.
// expect-anywhere: liveness.spin
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct timespec until = {5, 0};

static void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    while (pthread_cond_timedwait(&changed, &lock, &until) == ETIMEDOUT)
        ;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    pthread_join(t, 0);
    return 0;
}
