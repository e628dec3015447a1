// Figure 7 of Kusano and Wang: the assertion fails if the other thread writes between the write and the read.
#include <assert.h>
#include <pthread.h>

static int a;

static void *clear(void *unused)
{
    a = 0;
    return unused;
}

static void *set(void *unused)
{
    a = 1;
    if (a != 1)
        assert(0);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, clear, 0);
    pthread_create(&other, 0, set, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
