// An atomic block and an atomic function of the verifier's interface are not interrupted.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int counter;

void __VERIFIER_atomic_add(int amount)
{
    counter += amount;
}

static void *work(void *unused)
{
    __VERIFIER_atomic_begin();
    int old = counter;
    counter = old + 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_add(10);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(counter == 22);
    return 0;
}
