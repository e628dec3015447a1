// A queue of one place: a second item takes the place of the first one if nobody has taken that yet.
// options: --property memory,leak
// variant: --property memory,leak
// variant: --property memory,leak --visibility memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) place;

static void *put(void *unused)
{
    atomic_store(&place, malloc(1)); // expect: memory.leak
    atomic_store(&place, malloc(2));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, put, 0);
    free(atomic_exchange(&place, (char *)0));
    pthread_join(thread, 0);
    free(atomic_load(&place));
    return 0;
}
