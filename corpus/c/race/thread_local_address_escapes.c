// A thread-local variable is shared once its address is handed out.
#include <pthread.h>

static _Thread_local int mine;

static void *work(void *theirs)
{
    mine = 1;
    *(int *)theirs = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, &mine);
    mine = 2; // expect: data-race
    pthread_join(thread, 0);
    return 0;
}
