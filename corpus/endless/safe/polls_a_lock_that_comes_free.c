// Both poll under one lock; in a state where one of them holds it, the other one only waits for it, and then sees what it waits for.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *work(void *unused)
{
    int seen = 0;
    while (!seen) {
        pthread_mutex_lock(&lock);
        seen = first;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *other(void *unused)
{
    pthread_mutex_lock(&lock);
    second = 1;
    first = second;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
