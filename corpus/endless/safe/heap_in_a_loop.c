// Two threads make an object and free it, for ever: with its memory used again, states come back.
// options: --quarantine 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *unused)
{
    for (;;) {
        int *made = malloc(sizeof *made);
        if (!made)
            continue;
        *made = 1;
        pthread_mutex_lock(&lock);
        sum += *made;
        assert(sum == 1);
        sum -= *made;
        pthread_mutex_unlock(&lock);
        free(made);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(0);
    return 0;
}
