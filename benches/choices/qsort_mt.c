// Quicksort by several threads: a thread that has parted its range gives one half to an idle
// thread, if there is one.
//
// Shape: QSort MT (a multithreaded quicksort with a pool of threads), in C. Ranges of one shared
// array are disjoint, but where they begin is only known at run time; each thread has a place in a
// shared array for the range that it is given, under the pool's lock.
//
// Sizes: THREADS (2), LENGTH of the array (6).
// Verdict: true. ERROR=1: a thread also sorts the range that it has given away (data race on an
// element). ERROR=2: who ends wakes nobody (deadlock). ERROR=3: an idle thread is looked for
// without the lock (data race).
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef LENGTH
#define LENGTH 6
#endif
#ifndef ERROR
#define ERROR 0
#endif

enum state { IDLE, READY, BUSY };

struct worker {
    enum state state;
    int first, last;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct worker workers[THREADS];
    int busy;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static int numbers[LENGTH];

static void swap(int i, int j)
{
    int number = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = number;
}

// Parts numbers[first..last) and returns where the pivot is then.
static int part(int first, int last)
{
    int pivot = numbers[first], middle = first;
    for (int i = first + 1; i < last; i++)
        if (numbers[i] < pivot)
            swap(++middle, i);
    if (middle != first)
        swap(first, middle);
    return middle;
}

// True if an idle thread has taken the range.
static bool give(int first, int last)
{
    bool given = false;
#if ERROR != 3
    pthread_mutex_lock(&pool.lock);
#endif
    for (int i = 0; i < THREADS && !given; i++)
        if (pool.workers[i].state == IDLE) {
            pool.workers[i] = (struct worker){READY, first, last};
            pool.busy++;
            given = true;
        }
#if ERROR == 3
    pthread_mutex_lock(&pool.lock);
#endif
    if (given)
        pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    return given;
}

static void sort(int first, int last)
{
    while (last - first > 1) {
        int middle = part(first, last);
        if (last - middle <= 2 || !give(middle + 1, last) || ERROR == 1)
            sort(middle + 1, last);
        last = middle;
    }
}

static void *work(void *argument)
{
    struct worker *mine = &pool.workers[(long)argument];
    pthread_mutex_lock(&pool.lock);
    while (pool.busy > 0)
        if (mine->state == READY) {
            mine->state = BUSY;
            int first = mine->first, last = mine->last;
            pthread_mutex_unlock(&pool.lock);
            sort(first, last);
            pthread_mutex_lock(&pool.lock);
            mine->state = IDLE;
            pool.busy--;
#if ERROR != 2
            if (pool.busy == 0)
                pthread_cond_broadcast(&pool.changed);
#endif
        } else {
            pthread_cond_wait(&pool.changed, &pool.lock);
        }
    pthread_mutex_unlock(&pool.lock);
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    int sum = 0;
    for (int i = 0; i < LENGTH; i++) {
        numbers[i] = (i * 7 + LENGTH / 2) % 11;
        sum += numbers[i];
    }
    give(0, LENGTH);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < LENGTH; i++) {
        assert(i == 0 || numbers[i - 1] <= numbers[i]);
        sum -= numbers[i];
    }
    assert(sum == 0);
    return 0;
}
