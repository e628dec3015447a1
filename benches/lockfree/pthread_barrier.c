// N threads meet at a barrier of the library.
#include "threads.h"

static pthread_barrier_t barrier;
static int arrived[N];

static void *work(void *number)
{
    arrived[(long)number] = 1;
    pthread_barrier_wait(&barrier);
    assert(arrived[((long)number + 1) % N]);
    return 0;
}

int main(void)
{
    pthread_barrier_init(&barrier, 0, N);
    run(N, work);
    return 0;
}
