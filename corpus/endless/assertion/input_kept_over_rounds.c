// Each round compares a new input with one that is kept. Rounds are alike only if what is known of the kept one is.
#include <assert.h>
#include <pthread.h>

unsigned char __VERIFIER_nondet_uchar(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char kept;

static void *rounds(void *unused)
{
    for (;;) {
        unsigned char next = __VERIFIER_nondet_uchar();
        pthread_mutex_lock(&lock);
        int more = next == 3 && kept < next;
        pthread_mutex_unlock(&lock);
        if (more)
            break;
    }
    pthread_mutex_lock(&lock);
    assert(kept != 2); // expect: assertion
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    kept = __VERIFIER_nondet_uchar();
    pthread_create(&other, 0, rounds, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}
