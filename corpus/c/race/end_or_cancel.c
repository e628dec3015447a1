// Whether the first worker ends at once, or cancels another thread first, depends on a handle that is read without synchronisation; and it may be detached
// before it ends, or joined.
// expect-anywhere: data-race
// expect-anywhere: pthread.join-detached
#include <pthread.h>

static pthread_t first, second;

static void *cancel(void *unused)
{
    if (second)
        pthread_cancel(second);
    return unused;
}

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_create(&first, 0, cancel, 0);
    pthread_create(&second, 0, work, 0);
    pthread_detach(first);
    pthread_join(first, 0);
    return 0;
}
