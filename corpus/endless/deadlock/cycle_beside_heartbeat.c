// Two transfers take the locks of two accounts in opposite orders; main shows that it is alive, for ever.
// expect-anywhere: deadlock.partial
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t from = PTHREAD_MUTEX_INITIALIZER, to = PTHREAD_MUTEX_INITIALIZER;
static atomic_int alive;

static void *forth(void *unused)
{
    pthread_mutex_lock(&from);
    pthread_mutex_lock(&to);
    pthread_mutex_unlock(&to);
    pthread_mutex_unlock(&from);
    return unused;
}

static void *back(void *unused)
{
    pthread_mutex_lock(&to);
    pthread_mutex_lock(&from);
    pthread_mutex_unlock(&from);
    pthread_mutex_unlock(&to);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, forth, 0);
    pthread_create(&two, 0, back, 0);
    for (;;)
        alive = !alive;
}
