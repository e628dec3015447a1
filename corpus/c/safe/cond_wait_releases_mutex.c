// While a thread waits, others can take the mutex: the condition is set in two steps by two threads.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int steps;

static void *step(void *unused)
{
    pthread_mutex_lock(&lock);
    if (++steps == 2)
        pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, step, 0);
    pthread_create(&b, 0, step, 0);
    pthread_mutex_lock(&lock);
    while (steps < 2)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
