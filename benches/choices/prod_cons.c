// Producers and consumers over a bounded buffer.
//
// Shape: the buffer of the Concurrency Tool Comparison (CTC), in C. The buffer is a shared array
// with two indexes and a count, all under one lock; what was produced is known from arrays with one
// place for each thread.
//
// Sizes: THREADS (2; even: half of them produce), ITEMS of each producer (2), CAPACITY of the
// buffer (1).
// Verdict: true. ERROR=1: a consumer tests once instead of in a loop (assertion: an empty buffer is
// read). ERROR=2: a producer does not signal (deadlock). ERROR=3: a producer stores its item before
// it has the lock (data race; a wrong sum).
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef CAPACITY
#define CAPACITY 1
#endif
#ifndef ERROR
#define ERROR 0
#endif

enum { PAIRS = THREADS / 2 };

struct buffer {
    pthread_mutex_t lock;
    pthread_cond_t filled, freed;
    int items[CAPACITY];
    int head, tail, count;
};

static struct buffer buffer = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .freed = PTHREAD_COND_INITIALIZER};
static int sums[PAIRS];

static void put(struct buffer *to, int item)
{
#if ERROR == 3
    to->items[to->tail] = item;
#endif
    pthread_mutex_lock(&to->lock);
    while (to->count == CAPACITY)
        pthread_cond_wait(&to->freed, &to->lock);
    to->items[to->tail] = item;
    to->tail = (to->tail + 1) % CAPACITY;
    to->count++;
#if ERROR != 2
    pthread_cond_signal(&to->filled);
#endif
    pthread_mutex_unlock(&to->lock);
}

static int get(struct buffer *from)
{
    pthread_mutex_lock(&from->lock);
#if ERROR == 1
    if (from->count == 0)
#else
    while (from->count == 0)
#endif
        pthread_cond_wait(&from->filled, &from->lock);
    assert(from->count > 0);
    int item = from->items[from->head];
    from->head = (from->head + 1) % CAPACITY;
    from->count--;
    pthread_cond_signal(&from->freed);
    pthread_mutex_unlock(&from->lock);
    return item;
}

static void *produce(void *argument)
{
    int number = (int)(long)argument;
    for (int i = 0; i < ITEMS; i++)
        put(&buffer, 1 + number * ITEMS + i);
    return 0;
}

static void *consume(void *argument)
{
    int number = (int)(long)argument;
    for (int i = 0; i < ITEMS; i++)
        sums[number] += get(&buffer);
    return 0;
}

int main(void)
{
    pthread_t producers[PAIRS], consumers[PAIRS];
    for (long i = 0; i < PAIRS; i++) {
        pthread_create(&producers[i], 0, produce, (void *)i);
        pthread_create(&consumers[i], 0, consume, (void *)i);
    }
    int sum = 0;
    for (int i = 0; i < PAIRS; i++) {
        pthread_join(producers[i], 0);
        pthread_join(consumers[i], 0);
    }
    for (int i = 0; i < PAIRS; i++)
        sum += sums[i];
    assert(sum == PAIRS * ITEMS * (PAIRS * ITEMS + 1) / 2);
    return 0;
}
