// A lock helps only if both sides take it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *deposit(void *unused)
{
    pthread_mutex_lock(&lock);
    balance += 5;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, deposit, 0);
    balance += 7; // expect: data-race
    pthread_join(thread, 0);
    return 0;
}
