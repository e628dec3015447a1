// Two blocks of one thread and three reads of the variable in them: 5! / (2! 3!) = 10 orders. The
// increments of `apart`, which no block touches, have no other order than their thread's.
// count(dpor)=10
// count(dpor,memory)=10
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static atomic_int both, apart;

static void *work(void *unused)
{
    for (int i = 0; i < 2; i++) {
        __VERIFIER_atomic_begin();
        both = 5;
        both = 6;
        __VERIFIER_atomic_end();
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (int i = 0; i < 3; i++) {
        int seen = both;
        assert(seen == 0 || seen == 6);
        apart++;
    }
    pthread_join(thread, 0);
    return 0;
}
