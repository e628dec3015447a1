// A thread waits with a deadline, again and again, for a flag that nobody sets.
// expect-anywhere: liveness.spin
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int flag;

static void *waiter(void *arg) {
    const struct timespec *until = arg;
    pthread_mutex_lock(&lock);
    while (!flag)
        pthread_cond_timedwait(&changed, &lock, until);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    struct timespec until = {5, 0};
    pthread_t t;
    pthread_create(&t, 0, waiter, &until);
    pthread_join(t, 0);
    return 0;
}
