// Two transfers between the same two accounts, in opposite directions: each takes the lock of the account it pays from,
// then that of the other.
//
//     selvedge check examples/bank_transfer.c
//
// What to see: false(no-deadlock), with the cycle (who waits for which lock, and where the holder took it) and a schedule
// of a few steps. Compile with -DORDERED to take the locks in the order of their addresses: then it is verified.
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};

static void transfer(struct account *from, struct account *to, int amount)
{
    struct account *first = from, *second = to;
#ifdef ORDERED
    if (to < from) {
        first = to;
        second = from;
    }
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *back(void *unused)
{
    transfer(&accounts[1], &accounts[0], 30);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, back, 0);
    transfer(&accounts[0], &accounts[1], 50);
    pthread_join(thread, 0);
    assert(accounts[0].balance + accounts[1].balance == 200);
    return 0;
}
