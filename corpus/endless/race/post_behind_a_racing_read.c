// Nobody posts as long as `x` is read between two actions of its writer only. With the other continuations, which the
// race makes, the thread that waits does not wait for ever.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static int x;
static sem_t posted;

static void *changes(void *unused)
{
    for (;;) {
        x = 1; // expect: data-race
        x = 0;
        sched_yield();
    }
    return unused;
}

static void *posts(void *unused)
{
    for (;;) {
        if (x) // expect: data-race
            sem_post(&posted);
        sched_yield();
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&posted, 0, 0);
    pthread_create(&threads[0], 0, changes, 0);
    pthread_create(&threads[1], 0, posts, 0);
    sem_wait(&posted);
    return 0;
}
