// Yielding and sleeping let others run and mean nothing else.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *unused)
{
    struct timespec moment = {0, 1};
    sched_yield();
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    assert(nanosleep(&moment, 0) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    usleep(1);
    work(0);
    pthread_join(thread, 0);
    assert(counter == 2);
    return 0;
}
