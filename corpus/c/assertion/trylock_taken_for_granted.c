// The program believes that trylock always succeeds.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int result = pthread_mutex_trylock(&lock);
    assert(result == 0); // expect: assertion
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
