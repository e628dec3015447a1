// A join that does not wait is no cancellation point, so a thread whose end was requested comes behind it.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static pthread_t other;

static void *nothing(void *arg)
{
    return arg;
}

static void *tries(void *arg)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    sem_wait(&s);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    int result = pthread_tryjoin_np(other, 0);
    assert(result != 0); // expect: assertion
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&other, 0, nothing, 0);
    pthread_create(&t, 0, tries, 0);
    pthread_cancel(t);
    sem_post(&s);
    pthread_join(t, 0);
    return 0;
}
