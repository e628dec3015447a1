// After its start routine has returned, a thread may still be cancelled in what runs at its end.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_key_t key;
static sem_t in, go;
static int n;

static void at_end(void *arg)
{
    (void)arg;
    sem_post(&in);
    sem_wait(&go);
}

static void *sets(void *arg)
{
    (void)arg;
    pthread_setspecific(key, &n);
    return (void *)1;
}

int main(void)
{
    pthread_t t;
    void *result = 0;
    sem_init(&in, 0, 0);
    sem_init(&go, 0, 0);
    pthread_key_create(&key, at_end);
    pthread_create(&t, 0, sets, 0);
    sem_wait(&in);
    pthread_cancel(t);
    sem_post(&go);
    pthread_join(t, &result);
    assert(result == (void *)1); // expect: assertion
    return 0;
}
