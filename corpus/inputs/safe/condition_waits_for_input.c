// How many items a producer makes is an input of 0 to 3; the consumer waits for exactly as many.
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static unsigned made, wanted;

static void *produce(void *unused)
{
    for (unsigned i = 0; i < wanted; i++) {
        pthread_mutex_lock(&lock);
        made++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    wanted = __VERIFIER_nondet_uint();
    if (wanted > 3)
        return 0;
    pthread_t producer;
    pthread_create(&producer, 0, produce, 0);
    pthread_mutex_lock(&lock);
    while (made < wanted)
        pthread_cond_wait(&more, &lock);
    assert(made == wanted);
    pthread_mutex_unlock(&lock);
    pthread_join(producer, 0);
    return 0;
}
