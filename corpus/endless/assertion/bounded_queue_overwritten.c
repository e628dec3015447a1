// The bound is one too high: a third number overwrites the first one.
#include <assert.h>
#include <pthread.h>

enum { SIZE = 2 };
static int slots[SIZE], first, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, freed = PTHREAD_COND_INITIALIZER;

static void *consume(void *unused)
{
    for (int next = 0;; next = (next + 1) % 3) {
        pthread_mutex_lock(&lock);
        while (count == 0)
            pthread_cond_wait(&filled, &lock);
        assert(slots[first] == next); // expect: assertion
        first = (first + 1) % SIZE;
        count--;
        pthread_cond_signal(&freed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t consumer;
    pthread_create(&consumer, 0, consume, 0);
    for (int next = 0;; next = (next + 1) % 3) {
        pthread_mutex_lock(&lock);
        while (count == SIZE + 1)
            pthread_cond_wait(&freed, &lock);
        slots[(first + count) % SIZE] = next;
        count++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
}
