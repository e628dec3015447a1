// With one value of the input the thread is created detached, and must not be joined.
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static pthread_attr_t attributes[2];

static void *work(void *unused) { return unused; }

int main(void)
{
    pthread_t thread;
    pthread_attr_init(&attributes[0]);
    pthread_attr_init(&attributes[1]);
    pthread_attr_setdetachstate(&attributes[1], PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes[__VERIFIER_nondet_uint() % 2], work, 0);
    pthread_join(thread, 0); // expect: pthread.join-detached
    return 0;
}
