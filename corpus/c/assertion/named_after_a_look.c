// A thread names itself if it has seen what another one wrote, and reads the name when it is alone.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int written;

static void *write_it(void *unused)
{
    written = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    char name[16];
    pthread_create(&thread, 0, write_it, 0);
    if (written)
        pthread_setname_np(pthread_self(), "late");
    pthread_join(thread, 0);
    pthread_getname_np(pthread_self(), name, sizeof name);
    assert(name[0] == 'l'); // expect: assertion
    return 0;
}
