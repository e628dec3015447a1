// One of two attribute objects, chosen by an input; neither asks for anything unusual.
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static pthread_attr_t attributes[2];
static int shared;

static void *work(void *unused)
{
    shared++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_init(&attributes[0]);
    pthread_attr_init(&attributes[1]);
    shared = 1;
    pthread_create(&thread, &attributes[__VERIFIER_nondet_uint() % 2], work, 0);
    pthread_join(thread, 0);
    shared = 2;
    return 0;
}
