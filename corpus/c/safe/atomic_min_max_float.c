// Read-modify-writes that the processor has no instruction for: minimum, maximum, floating point.
#include <assert.h>
#include <pthread.h>

static int lowest = 100, highest = -100;
static unsigned top;
static _Atomic double sum;

static void *note(void *number)
{
    int x = *(int *)number;
    __atomic_fetch_min(&lowest, x, __ATOMIC_SEQ_CST);
    __atomic_fetch_max(&highest, x, __ATOMIC_SEQ_CST);
    __atomic_fetch_max(&top, (unsigned)x, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void)
{
    static int a = -3, b = 4;
    pthread_t thread;
    sum = 0.5;
    pthread_create(&thread, 0, note, &a);
    note(&b);
    pthread_join(thread, 0);
    sum += 2;
    assert(lowest == -3 && highest == 4 && top == (unsigned)-3 && sum == 2.5);
    return 0;
}
