// A clock of the system does not go back from a thread to one that it creates, nor from there to who joins it.
//
// variant: -DAFTER=0
// variant: -DAFTER=1
#include <assert.h>
#include <pthread.h>
#include <time.h>

static time_t reads(int times)
{
    struct timespec now;
    for (int i = 0; i < times; i++)
        clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static time_t of_the_thread;

static void *look(void *unused)
{
    of_the_thread = reads(AFTER ? 5 : 1);
    return unused;
}

int main(void)
{
    time_t before = reads(AFTER ? 1 : 5);
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    time_t earlier = AFTER ? of_the_thread : before;
    time_t later = AFTER ? reads(1) : of_the_thread;
    assert(later < earlier); // expect: assertion
    return 0;
}
