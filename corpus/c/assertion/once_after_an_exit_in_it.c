// A thread that ends in the routine of pthread_once has left it before the destructors of its keys run, so another thread
// may run the routine meanwhile.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static atomic_int runs, over;
static sem_t entered;

static void routine(void)
{
    if (runs++ == 0) {
        sem_post(&entered);
        pthread_exit(0);
    }
    assert(over); // expect: assertion
}

static void at_end(void *arg)
{
    (void)arg;
    over = 1;
}

static void *uses(void *arg)
{
    pthread_setspecific(key, &runs);
    pthread_once(&once, routine);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&entered, 0, 0);
    pthread_key_create(&key, at_end);
    pthread_create(&t, 0, uses, 0);
    sem_wait(&entered);
    pthread_once(&once, routine);
    pthread_join(t, 0);
    return 0;
}
