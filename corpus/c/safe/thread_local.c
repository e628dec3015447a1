// Thread-local variables: one for each thread, initialised for each.
#include <assert.h>
#include <pthread.h>

static _Thread_local int mine = 5;
static __thread char text[4] = "abc";

static void *work(void *unused)
{
    assert(mine == 5 && text[0] == 'a');
    mine++;
    text[0] = 'x';
    assert(mine == 6 && text[0] == 'x');
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
