// Made when it is needed first, with a second look under the lock: who comes second frees what it has made.
// variant: --property memory,leak,cleanup
// variant: --property memory,leak,cleanup --visibility memory
#include <pthread.h>
#include <stdlib.h>

static int *table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    int *made = calloc(4, sizeof *made);
    pthread_mutex_lock(&lock);
    if (table == 0) {
        table = made;
        made = 0;
    }
    pthread_mutex_unlock(&lock);
    free(made);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    free(table);
    return 0;
}
