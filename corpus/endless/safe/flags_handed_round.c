// Each waits in a loop for the other's turn to be over: somebody can always go on.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;

static void *play(void *argument)
{
    int me = *(int *)argument;
    for (int round = 0; round < 2; round++) {
        while (atomic_load(&turn) != me)
            ;
        atomic_store(&turn, 1 - me);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int first = 0, second = 1;
    pthread_create(&a, NULL, play, &first);
    pthread_create(&b, NULL, play, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
