// Fig. 9 of Kusano and Wang (ASE 2014): only the last write of each thread can be read, so two of the
// six orders of the writes matter (with --write-write-pruning on there are three executions).
// options: --property assertion,deadlock
// count(predicate)=6
#include <assert.h>
#include <pthread.h>

static int a;

static void *down(void *unused)
{
    a = 7;
    a = 6;
    return unused;
}

static void *up(void *unused)
{
    a = 0;
    a = 1;
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, down, 0);
    pthread_create(&other, 0, up, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(a != 7);
    return 0;
}
