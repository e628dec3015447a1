// The two accesses are reached through different call chains; both stacks belong to the finding.
#include <pthread.h>

static int depth;

static void store(int *at, int value)
{
    *at = value; // expect: data-race
}

static void *left(void *unused)
{
    store(&depth, 1);
    return unused;
}

static void right_inner(void)
{
    store(&depth, 2);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, left, 0);
    right_inner();
    pthread_join(thread, 0);
    return 0;
}
