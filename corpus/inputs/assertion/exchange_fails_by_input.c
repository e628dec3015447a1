// The only thing that is left open is whether a compare-exchange on an input fails.
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static int value, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    value = __VERIFIER_nondet_uint() & 1;
    pthread_create(&thread, 0, work, 0);
    int expected = 0;
    __atomic_compare_exchange_n(&value, &expected, 0, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    pthread_join(thread, 0);
    assert(__atomic_load_n(&value, __ATOMIC_SEQ_CST) != 1); // expect: assertion
    return 0;
}
