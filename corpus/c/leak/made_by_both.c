// Made when it is needed first: two threads find that it is not there, and the second one's takes the place of the first one's.
// options: --property memory,leak
#include <pthread.h>
#include <stdlib.h>

static int *table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    int missing = table == 0;
    pthread_mutex_unlock(&lock);
    if (missing) {
        int *made = calloc(4, sizeof *made); // expect: memory.leak
        pthread_mutex_lock(&lock);
        table = made;
        pthread_mutex_unlock(&lock);
    }
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
