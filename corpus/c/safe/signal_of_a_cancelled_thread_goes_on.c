// One of two threads is woken by the only signal, and cancelled. If the cancellation acts in the wait, the signal wakes the
// other thread.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int tokens;

static void give(void *arg)
{
    (void)arg;
    pthread_mutex_unlock(&m);
}

static void *takes(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(give, 0);
    while (tokens == 0)
        pthread_cond_wait(&c, &m);
    tokens--;
    pthread_cond_signal(&c);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, takes, 0);
    pthread_mutex_lock(&m);
    tokens = 2;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_cancel(t[0]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
