// Every access is under the lock; still, one thread may use what the other has freed.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *release(void *unused)
{
    pthread_mutex_lock(&lock);
    free(shared);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    pthread_create(&thread, 0, release, 0);
    pthread_mutex_lock(&lock);
    *shared = 1; // expect: memory.use-after-free
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
