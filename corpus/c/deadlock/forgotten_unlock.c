// An early return leaves the mutex locked, in one of the two orders only.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int visits;

static void *visit(void *unused)
{
    pthread_mutex_lock(&lock); // expect: deadlock
    if (visits++ == 0)
        return unused;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, visit, 0);
    visit(0);
    pthread_join(thread, 0);
    return 0;
}
