// The assertion fails for one amount, and only if the withdrawal comes between the deposit's two critical sections.
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned balance = 100, amount;

static void *deposit(void *unused)
{
    pthread_mutex_lock(&lock);
    unsigned before = balance;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance = before + amount;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *withdraw(void *unused)
{
    pthread_mutex_lock(&lock);
    balance -= 50;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    amount = __VERIFIER_nondet_uint() % 1000;
    if (amount % 7 != 0)
        return 0;
    pthread_t a, b;
    pthread_create(&a, 0, deposit, 0);
    pthread_create(&b, 0, withdraw, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    // Only the lost withdrawal leaves 100 + 777; without it that would take an amount of 827, which is no multiple of 7.
    assert(balance != 877); // expect: assertion
    return 0;
}
