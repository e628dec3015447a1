// Only calls of reach_error are asked about: abort, a false assertion and exit are ends like any other.
// variant: --property unreach-call
// variant: --property unreach-call -DHOW=1
// variant: --property no-data-race -DHOW=1
// variant: --property valid-deref,valid-free -DHOW=2
// variant: --property unreach-call -DHOW=3
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef HOW
#define HOW 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

void reach_error(void) { count = -1; }

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    if (++count == 2) {
        if (HOW == 0)
            abort();
        if (HOW == 1)
            assert(count < 2);
        if (HOW == 2)
            reach_error();
        if (HOW == 3)
            exit(1);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
