// For three items the producer makes two: the consumer waits for ever, for that input only.
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static unsigned made, wanted;

static void *produce(void *unused)
{
    for (unsigned i = 0; i < wanted && i < 2; i++) {
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
        pthread_cond_wait(&more, &lock); // expect: deadlock, deadlock.lost-wakeup
    pthread_mutex_unlock(&lock);
    pthread_join(producer, 0);
    return 0;
}
