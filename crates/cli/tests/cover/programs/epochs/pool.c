/* The main thread hands any number of jobs to workers. */
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int jobs, done;
static long finished;
static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    for (;;) {
        while (jobs == 0 && !done) pthread_cond_wait(&work, &m);
        if (jobs == 0) break;
        jobs--;
        finished++;
    }
    pthread_mutex_unlock(&m);
    return 0;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&m);
        jobs++;
        pthread_cond_signal(&work);
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    printf("%ld\n", finished);
    return finished != n;
}
