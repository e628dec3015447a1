// Peterson's entry with the turn set too early: both get in. Plain accesses, so visibility memory.
// options: --property assertion --visibility memory
#include <assert.h>
#include <pthread.h>

static volatile int wants[2], turn, inside;

static void *enter(void *argument)
{
    int me = *(int *)argument;
    turn = 1 - me;
    wants[me] = 1;
    if (!(wants[1 - me] && turn == 1 - me)) {
        inside = inside + 1;
        assert(inside == 1); // expect: assertion
        inside = inside - 1;
    }
    return 0;
}

int main(void)
{
    static int zero = 0, one = 1;
    pthread_t thread;
    pthread_create(&thread, 0, enter, &one);
    enter(&zero);
    pthread_join(thread, 0);
    return 0;
}
