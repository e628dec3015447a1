// One of two threads joins a third one, whoever comes first. If it is the other one, main learns
// from a relaxed access that this was done, and so not what the third thread did. After that the
// state tells only that it was joined.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int taken, counter;
static atomic_int joined;
static pthread_t counting;

static void *count(void *unused)
{
    counter = 1;
    return unused;
}

static int is_first(void)
{
    pthread_mutex_lock(&turn);
    int first = !taken;
    taken = 1;
    pthread_mutex_unlock(&turn);
    return first;
}

static int join(void)
{
    if (is_first()) {
        pthread_join(counting, 0);
        atomic_store_explicit(&joined, 1, memory_order_relaxed);
        return 1;
    }
    return atomic_load_explicit(&joined, memory_order_relaxed);
}

static void *joining(void *unused)
{
    join();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&counting, 0, count, 0);
    pthread_create(&thread, 0, joining, 0);
    if (join()) {
        pthread_mutex_lock(&other);
        counter = 1; // expect: data-race
        pthread_mutex_unlock(&other);
    }
    pthread_exit(0);
}
