// One thread takes the lock and gives it back in each round, the other tries it and may get it at any time.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int met;

static void *take(void *unused)
{
    while (!atomic_load(&met)) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *try(void *unused)
{
    for (;;) {
        if (pthread_mutex_trylock(&lock))
            break;
        pthread_mutex_unlock(&lock);
    }
    atomic_store(&met, 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, try, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
