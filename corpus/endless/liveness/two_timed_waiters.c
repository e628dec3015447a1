// Each of two threads waits with a deadline for the other one to begin.
// expect-anywhere: liveness.spin
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct timespec until = {5, 0};
static int begun[2];

static void *waiter(void *arg) {
    int me = (int)(long)arg;
    pthread_mutex_lock(&lock);
    while (!begun[!me])
        pthread_cond_timedwait(&changed, &lock, &until);
    begun[me] = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, waiter, (void *)0);
    pthread_create(&u, 0, waiter, (void *)1);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
