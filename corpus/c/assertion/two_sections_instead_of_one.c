// Each access is protected, the pair is not: read and write are two critical sections.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;

static void *withdraw(void *unused)
{
    pthread_mutex_lock(&lock);
    int seen = balance;
    pthread_mutex_unlock(&lock);
    if (seen >= 10) {
        pthread_mutex_lock(&lock);
        balance -= 10;
        assert(balance >= 0); // expect: assertion
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, withdraw, 0);
    withdraw(0);
    pthread_join(thread, 0);
    return 0;
}
