// The worker was woken in vain once and lost nothing by it; nobody ever signals what main waits for.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int jobs, finished;
static void *worker(void *unused) {
    pthread_mutex_lock(&m);
    for (;;) {
        while (!jobs)
            pthread_cond_wait(&work, &m);
        jobs--;
        finished = 1;
    }
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    jobs++;
    pthread_cond_signal(&work);
    while (!finished)
        pthread_cond_wait(&done, &m); // expect: deadlock
    pthread_mutex_unlock(&m);
    return 0;
}
