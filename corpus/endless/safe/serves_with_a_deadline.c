// A server looks for work at least once a second, and serves for ever.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int work, done;

static void *server(void *arg) {
    const struct timespec *until = arg;
    pthread_mutex_lock(&lock);
    for (;;) {
        if (work) {
            work = 0;
            done = 1;
        }
        pthread_cond_timedwait(&changed, &lock, until);
    }
}

int main(void) {
    static struct timespec until = {5, 0};
    pthread_t t;
    pthread_create(&t, 0, server, &until);
    pthread_mutex_lock(&lock);
    work = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
