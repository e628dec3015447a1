// An assertion in an exit handler, reached with the other thread's work half done.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int begun, ended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void check(void)
{
    assert(begun == ended); // expect: assertion
}

static void *work(void *unused)
{
    begun = 1;
    pthread_mutex_lock(&lock);
    ended = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    atexit(check);
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, work, 0);
    return 0;
}
