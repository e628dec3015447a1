// pthread_spin_trylock answers EBUSY while another thread has the lock, and takes it otherwise.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *attempt(void *unused)
{
    int result = pthread_spin_trylock(&lock);
    assert(result == 0 || result == EBUSY);
    if (result == 0) {
        counter++;
        pthread_spin_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, 0, attempt, 0);
    attempt(0);
    pthread_join(thread, 0);
    assert(counter == 1 || counter == 2);
    return 0;
}
