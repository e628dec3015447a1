// A thread that a broadcast has woken may still be cancelled in its wait.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, go;

static void *waits(void *arg)
{
    pthread_mutex_lock(&m);
    waiting = 1;
    while (!go)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    void *result = 0;
    pthread_create(&t, 0, waits, 0);
    pthread_mutex_lock(&m);
    if (waiting) {
        go = 1;
        pthread_cond_broadcast(&c);
        pthread_cancel(t);
    }
    go = 1;
    pthread_mutex_unlock(&m);
    pthread_join(t, &result);
    assert(!waiting || result != PTHREAD_CANCELED); // expect: assertion
    return 0;
}
