// Two threads read what a third one writes; one of the readers also keeps a count that nobody
// asks about.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, total;

static void *check(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(value == 0 || value == 5);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *count(void *unused)
{
    total += value;
    return unused;
}

static void *set(void *unused)
{
    pthread_mutex_lock(&lock);
    value = 5;
    pthread_mutex_unlock(&lock);
    total++;
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, check, 0);
    pthread_create(&threads[1], 0, count, 0);
    pthread_create(&threads[2], 0, set, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
