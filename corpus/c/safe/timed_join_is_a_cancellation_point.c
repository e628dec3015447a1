// A join with a deadline is a cancellation point, as long as the other thread has not ended.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t s, go;
static pthread_t other;

static void *waits(void *arg)
{
    sem_wait(&go);
    return arg;
}

static void *joins(void *arg)
{
    struct timespec until = {1, 0};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    sem_wait(&s);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    pthread_timedjoin_np(other, 0, &until);
    assert(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    void *result = 0;
    sem_init(&s, 0, 0);
    sem_init(&go, 0, 0);
    pthread_create(&other, 0, waits, 0);
    pthread_create(&t, 0, joins, 0);
    pthread_cancel(t);
    sem_post(&s);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED);
    sem_post(&go);
    pthread_join(other, 0);
    return 0;
}
