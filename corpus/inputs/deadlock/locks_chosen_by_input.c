// Which lock comes first is an input of each thread: if they choose differently, and the schedule is bad, both wait.
#include <pthread.h>

_Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *both(void *unused)
{
    int first = __VERIFIER_nondet_bool();
    pthread_mutex_lock(&locks[first]);
    pthread_mutex_lock(&locks[!first]); // expect: deadlock
    pthread_mutex_unlock(&locks[!first]);
    pthread_mutex_unlock(&locks[first]);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, both, 0);
    pthread_create(&b, 0, both, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
