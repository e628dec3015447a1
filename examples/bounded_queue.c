// A bounded queue with one condition variable for "not full" and one for "not empty"; two producers, two consumers.
//
//     selvedge check examples/bounded_queue.c
//
// What to see: true (verified), with the number of executions that stand for all schedules. Compile with -DONE_CONDITION
// to use a single condition variable for both purposes: a signal then wakes a thread that it does not help, and a schedule
// is shown in which all threads wait for ever.
#include <assert.h>
#include <pthread.h>

enum { ROOM = 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
#ifdef ONE_CONDITION
#define not_full not_empty
#else
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
#endif
static int queue[ROOM], count, put_sum, got_sum;

static void *produce(void *item)
{
    pthread_mutex_lock(&lock);
    while (count == ROOM)
        pthread_cond_wait(&not_full, &lock);
    queue[count++] = *(int *)item;
    put_sum += *(int *)item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    got_sum += queue[--count];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    static int items[2] = {1, 2};
    pthread_t threads[3];
    pthread_create(&threads[0], 0, consume, 0);
    pthread_create(&threads[1], 0, consume, 0);
    pthread_create(&threads[2], 0, produce, &items[0]);
    produce(&items[1]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(put_sum == 3 && got_sum == 3);
    return 0;
}
