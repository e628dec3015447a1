// The verifier's way to name an error: a call of reach_error.
#include <pthread.h>

void reach_error(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    order = order * 2 + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&lock);
    order = order * 2;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    if (order == 2)
        reach_error(); // expect: assertion.reach-error
    return 0;
}
