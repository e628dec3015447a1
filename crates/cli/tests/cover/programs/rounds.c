#include <pthread.h>
#include <unistd.h>

/* Two workers and the main thread meet at a barrier before and after each request. The last request decides what the next one
   does, too. */
static pthread_barrier_t round_begins, round_ends;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char request, last;
static int ended, mode;

static void *worker(void *argument) {
    int odd = argument != NULL;
    for (;;) {
        pthread_barrier_wait(&round_begins);
        if (ended)
            return argument;
        if ((request == 'a') == odd) {
            pthread_mutex_lock(&lock);
            mode = odd;
            pthread_mutex_unlock(&lock);
        } else if (last == 'b' && odd && pthread_mutex_trylock(&lock) == 0) {
            mode = 1;
            pthread_mutex_unlock(&lock);
        }
        pthread_barrier_wait(&round_ends);
    }
}

int main(void) {
    pthread_t workers[2];
    pthread_barrier_init(&round_begins, NULL, 3);
    pthread_barrier_init(&round_ends, NULL, 3);
    pthread_create(&workers[0], NULL, worker, NULL);
    pthread_create(&workers[1], NULL, worker, &last);
    while (read(0, &request, 1) == 1) {
        if (request != 'a' && request != 'b')
            continue;
        pthread_barrier_wait(&round_begins);
        pthread_barrier_wait(&round_ends);
        last = request;
    }
    ended = 1;
    pthread_barrier_wait(&round_begins);
    pthread_join(workers[0], NULL);
    pthread_join(workers[1], NULL);
    return mode;
}
