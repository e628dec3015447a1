// The flag is set and taken back between two actions of its thread. Whoever looks at it between two of his own steps
// finds it as it was, and does not wait for ever all the same.
#include <pthread.h>
#include <sched.h>

static int flag;

static void *changes(void *unused)
{
    for (;;) {
        flag = 1; // expect: data-race
        flag = 0;
        sched_yield();
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, changes, 0);
    while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) { // expect: data-race
    }
    return 0;
}
