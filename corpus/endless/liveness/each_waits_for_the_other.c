// Both announce themselves and wait until the other has left, which none does before.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];

static void *enter(void *argument)
{
    int me = *(int *)argument;
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[1 - me])) // expect: liveness.spin
        ;
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int first = 0, second = 1;
    pthread_create(&a, NULL, enter, &first);
    pthread_create(&b, NULL, enter, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
