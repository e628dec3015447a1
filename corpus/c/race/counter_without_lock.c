// Two unprotected increments. Under visibility memory, two threads with a read and a write each have four classes: the
// four places of the two reads relative to the other's write. Three have 36, four 576; but a store of the value that is
// there already is a read (its order among other reads and such stores does not matter), which leaves 27 and 340.
// variant: -DN=2 --visibility sync
// variant: -DN=2 --property assertion,deadlock --visibility memory verdict(verified) count(dpor,memory)=4
// variant: -DN=3 --property assertion,deadlock --visibility memory verdict(verified) count(dpor,memory)=27 count(unfold)=36
// variant: -DN=4 --property assertion,deadlock --visibility memory verdict(verified) count(dpor,memory)=340 count(unfold)=576
#include <pthread.h>

static int x;

static void *add(void *unused)
{
    int v = x;
    x = v + 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
