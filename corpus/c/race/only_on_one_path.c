// The racing write is reached only if the lock was taken in one of the two orders.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn, value;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    int first = turn == 0;
    turn = 1;
    pthread_mutex_unlock(&lock);
    if (first)
        value = 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&lock);
    turn++;
    pthread_mutex_unlock(&lock);
    value = 2;
    pthread_join(thread, 0);
    return 0;
}
