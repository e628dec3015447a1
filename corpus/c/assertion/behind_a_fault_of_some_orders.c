// In some orders a fault about which nobody asks ends the thread before its assertion.
// options: --property assertion,deadlock --visibility memory
// count(predicate)=2
// published: missed
#include <assert.h>
#include <pthread.h>

static int x, y;

static void *write_both(void *unused)
{
    x = 1;
    y = 1;
    return unused;
}

static void *look(void *unused)
{
    if (x)
        *(volatile int *)0 = 1;
    assert(y == 0); // expect: assertion
    return unused;
}

int main(void)
{
    pthread_t writer, reader;
    pthread_create(&reader, 0, look, 0);
    pthread_create(&writer, 0, write_both, 0);
    pthread_join(writer, 0);
    pthread_join(reader, 0);
    return 0;
}
