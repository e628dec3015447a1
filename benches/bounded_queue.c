// Two producers and two consumers of ROUNDS numbers each, over a queue with two places.
#include <assert.h>
#include <pthread.h>

enum { SIZE = 2 };
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, freed = PTHREAD_COND_INITIALIZER;

static void *produce(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        while (count == SIZE)
            pthread_cond_wait(&freed, &lock);
        count++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        while (count == 0)
            pthread_cond_wait(&filled, &lock);
        count--;
        pthread_cond_signal(&freed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, i % 2 ? consume : produce, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(count == 0);
    return 0;
}
