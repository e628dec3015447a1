// Whoever gets the mutex by trylock may touch the data; whoever does not, stays away.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *attempt(void *done)
{
    int result = pthread_mutex_trylock(&lock);
    if (result == 0) {
        counter++;
        *(int *)done = 1;
        pthread_mutex_unlock(&lock);
    } else {
        assert(result == EBUSY);
    }
    return 0;
}

int main(void)
{
    int mine = 0, other = 0;
    pthread_t thread;
    pthread_create(&thread, 0, attempt, &other);
    attempt(&mine);
    pthread_join(thread, 0);
    assert(counter == mine + other && counter >= 1);
    return 0;
}
