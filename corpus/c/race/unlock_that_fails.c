// An unlock that fails has looked at the mutex all the same.
// expect-anywhere: data-race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t *lock;
static atomic_int done;

static void *work(void *arg)
{
    pthread_mutex_unlock(lock);
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t checks;
    pthread_mutexattr_init(&checks);
    pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
    lock = malloc(sizeof *lock);
    pthread_mutex_init(lock, &checks);
    pthread_create(&t, 0, work, 0);
    if (atomic_load_explicit(&done, memory_order_relaxed))
        free(lock);
    pthread_join(t, 0);
    return 0;
}
