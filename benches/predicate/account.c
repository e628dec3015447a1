// A bank account and three threads: one deposits, one withdraws, one checks whether both have been
// there and the balance is right. Whatever the order of the first two, it is.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int start, put, taken, balance, deposited, withdrawn;

static void *deposit(void *unused)
{
    pthread_mutex_lock(&lock);
    balance += put;
    deposited = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *withdraw(void *unused)
{
    pthread_mutex_lock(&lock);
    balance -= taken;
    withdrawn = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *audit(void *unused)
{
    pthread_mutex_lock(&lock);
    if (deposited && withdrawn)
        assert(balance == start + put - taken);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    start = balance = 10;
    put = 7;
    taken = 4;
    pthread_create(&threads[0], 0, audit, 0);
    pthread_create(&threads[1], 0, deposit, 0);
    pthread_create(&threads[2], 0, withdraw, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
