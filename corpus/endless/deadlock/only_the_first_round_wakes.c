// Whether the server ever wakes the waiter depends on what it is told in its first round. After "no" there is no way back.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

extern _Bool __VERIFIER_nondet_bool(void);
static sem_t wanted;
static atomic_int round;

static void *wait_for_it(void *unused)
{
    sem_wait(&wanted); // expect: deadlock.partial
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&wanted, 0, 0);
    pthread_create(&thread, 0, wait_for_it, 0);
    if (__VERIFIER_nondet_bool())
        sem_post(&wanted);
    for (;;)
        round = !round;
}
