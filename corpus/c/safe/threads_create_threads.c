// A tree of threads: each name depends on the creator only, not on who was first.
#include <assert.h>
#include <pthread.h>

static int leaves[4];

static void *leaf(void *place)
{
    *(int *)place = 1;
    return 0;
}

static void *branch(void *place)
{
    pthread_t a, b;
    pthread_create(&a, 0, leaf, place);
    pthread_create(&b, 0, leaf, (int *)place + 1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, branch, &leaves[0]);
    pthread_create(&b, 0, branch, &leaves[2]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(leaves[0] + leaves[1] + leaves[2] + leaves[3] == 4);
    return 0;
}
