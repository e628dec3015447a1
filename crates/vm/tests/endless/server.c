// Two workers serve for ever: a mutex and a condition variable.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int jobs;
static void *work(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        while (!jobs) pthread_cond_wait(&c, &m);
        jobs--;
        pthread_mutex_unlock(&m);
    }
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    for (;;) {
        pthread_mutex_lock(&m);
        if (jobs < 1) jobs++;
        pthread_mutex_unlock(&m);
        pthread_cond_signal(&c);
    }
}
