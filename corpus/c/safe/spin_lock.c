// A spin lock protects like a mutex.
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *add(void *unused)
{
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, 0, add, 0);
    add(0);
    pthread_join(thread, 0);
    assert(counter == 2);
    pthread_spin_destroy(&lock);
    return 0;
}
