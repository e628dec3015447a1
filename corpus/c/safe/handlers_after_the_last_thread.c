// main ends with pthread_exit. The process exits after its last thread (POSIX, pthread_exit), so the handler runs after all of them.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int x, by_main;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void at_the_end(void)
{
    assert(x == 2 && by_main == 1);
}

static void *thread(void *unused)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t t;
    atexit(at_the_end);
    pthread_create(&t, 0, thread, 0);
    pthread_create(&t, 0, thread, 0);
    by_main = 1;
    pthread_exit(0);
}
