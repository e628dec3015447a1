// The memory is freed while another thread may still write to it. Where only data races are asked
// for, that is one: no order is needed in which the access comes first.
// options: --property no-data-race
#include <pthread.h>
#include <stdlib.h>

static int *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    *shared = 1; // expect: data-race
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t worker;
    shared = malloc(sizeof *shared);
    if (!shared)
        return 0;
    pthread_create(&worker, NULL, work, NULL);
    free(shared);
    pthread_join(worker, NULL);
    return 0;
}
