// Three meet at a barrier; then the process ends, whatever the other two still do.
#include <pthread.h>

static pthread_barrier_t meeting;
static int written;

static void *reads(void *result)
{
    pthread_barrier_wait(&meeting);
    return written ? result : 0;
}

static void *only_meets(void *unused)
{
    pthread_barrier_wait(&meeting);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_barrier_init(&meeting, 0, 3);
    pthread_create(&one, 0, reads, &written);
    pthread_create(&two, 0, only_meets, 0);
    written = 8;
    pthread_barrier_wait(&meeting);
    return 0;
}
