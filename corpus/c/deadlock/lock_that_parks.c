// A lock in one word: free, held, or held and waited for; who waits sleeps. FAULT 1: it signals without the mutex of the sleepers. 2: it looks and gives
// back in two steps.
// variant: -DFAULT=0 verdict(verified)
// variant: -DFAULT=1
// variant: -DFAULT=2
// expect-anywhere: deadlock, deadlock.lost-wakeup
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;
static pthread_mutex_t sleepers = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given_back = PTHREAD_COND_INITIALIZER;
static int counter;

static void take(void)
{
    int expected = 0;
    if (atomic_compare_exchange_strong(&state, &expected, 1))
        return;
    pthread_mutex_lock(&sleepers);
    while (atomic_exchange(&state, 2) != 0)
        pthread_cond_wait(&given_back, &sleepers);
    pthread_mutex_unlock(&sleepers);
}

static void give_back(void)
{
    int before;
    if (FAULT == 2) {
        before = atomic_load(&state);
        atomic_store(&state, 0);
    } else {
        before = atomic_exchange(&state, 0);
    }
    if (before != 2)
        return;
    if (FAULT != 1)
        pthread_mutex_lock(&sleepers);
    pthread_cond_signal(&given_back);
    if (FAULT != 1)
        pthread_mutex_unlock(&sleepers);
}

static void *count(void *unused)
{
    take();
    counter++;
    give_back();
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, count, 0);
    pthread_create(&other, 0, count, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(counter == 2);
    return 0;
}
