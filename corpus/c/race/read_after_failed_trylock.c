// A failed trylock gives no order, and no right to read.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *writer(void *unused)
{
    pthread_mutex_lock(&lock);
    value = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int seen = 0;
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    if (pthread_mutex_trylock(&lock) == 0)
        pthread_mutex_unlock(&lock);
    else
        seen = value; // expect: data-race
    pthread_join(thread, 0);
    return seen & 0;
}
