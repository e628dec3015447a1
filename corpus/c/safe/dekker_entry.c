// The entry of Dekker's algorithm: two flags, sequentially consistent; never are both threads inside.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];
static int inside;

static void *enter(void *argument)
{
    int me = *(int *)argument;
    wants[me] = 1;
    if (!wants[1 - me]) {
        inside++;
        assert(inside == 1);
        inside--;
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
