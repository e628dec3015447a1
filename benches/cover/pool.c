// The main thread hands jobs to workers, as many as the argument says.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs, ended;
static long done;

static void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    for (;;) {
        while (jobs == 0 && !ended)
            pthread_cond_wait(&more, &lock);
        if (jobs == 0)
            break;
        jobs--;
        done++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    (void)argc;
    int all = atoi(argv[1]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < all; i++) {
        pthread_mutex_lock(&lock);
        jobs++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    ended = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", done);
    return 0;
}
