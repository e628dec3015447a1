// Two unprotected increments. Under visibility memory, two threads with a read and a write each have four classes: the
// four places of the two reads relative to the other's write; three threads 36, four 576.
// variant: -DN=2 --visibility sync
// variant: -DN=2 --property assertion,deadlock --visibility memory verdict(verified) count(dpor,memory)=4
// variant: -DN=3 --property assertion,deadlock --visibility memory verdict(verified) count(dpor,memory)=36
// variant: -DN=4 --property assertion,deadlock --visibility memory verdict(verified) count(dpor,memory)=576
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
