// A mutex guards a counter, and a thread that knows by a lock that cannot be had that the other one
// is done sets the mutex up again. What was done under it before is not known to who takes it then.
// Whether there was something depends on whose turn it was first; the state does not tell.
//
// variant: -DNOTHING=0
// variant: -DNOTHING=1
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER, done = PTHREAD_MUTEX_INITIALIZER;
static int told, counter;

static void *first(void *unused)
{
    pthread_mutex_lock(&turn);
    int was_told = told;
    pthread_mutex_unlock(&turn);
    pthread_mutex_lock(&guard);
    if (was_told != NOTHING)
        counter = 1;
    pthread_mutex_unlock(&guard);
    was_told = 0;
    pthread_mutex_lock(&done);
    return unused;
}

static void *second(void *unused)
{
    if (pthread_mutex_trylock(&done) == 0) {
        pthread_mutex_unlock(&done);
        return unused;
    }
    pthread_mutex_lock(&turn);
    pthread_mutex_unlock(&turn);
    pthread_mutex_destroy(&guard);
    pthread_mutex_init(&guard, 0);
    pthread_mutex_lock(&guard);
    counter = 1; // expect: data-race
    return unused;
}

static void *third(void *unused)
{
    pthread_mutex_lock(&turn);
    told = 1;
    pthread_mutex_unlock(&turn);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, first, 0);
    pthread_create(&thread, 0, second, 0);
    pthread_create(&thread, 0, third, 0);
    pthread_exit(0);
}
