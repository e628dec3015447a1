// A pool whose owner writes a setting after the workers run, without their mutex. They read it only when there is work,
// which the owner hands over under the mutex: no race, but only happens-before says so. What threads know of that one
// word is all of the past that counts; more of it, and there are many times as many states.
#include <assert.h>
#include <pthread.h>

#define WORKERS 3
#define JOBS 2

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int jobs, busy, limit, closed, done;

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (jobs == 0 || busy >= limit) {
            if (closed && jobs == 0) {
                pthread_mutex_unlock(&mutex);
                return 0;
            }
            pthread_cond_wait(&work, &mutex);
        }
        jobs--;
        busy++;
        pthread_cond_signal(&room);
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        done++;
        busy--;
        pthread_cond_signal(&room);
    }
}

int main(void)
{
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], 0, worker, 0);
    limit = WORKERS;
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&mutex);
        while (jobs == 1)
            pthread_cond_wait(&room, &mutex);
        jobs++;
        pthread_cond_signal(&work);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    closed = 1;
    pthread_mutex_unlock(&mutex);
    pthread_cond_broadcast(&work);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], 0);
    assert(done == JOBS && jobs == 0 && busy == 0);
    return 0;
}
