// A false assumption ends its own thread only; what it leaves unjoined is no deadlock.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int condition);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;

static void *first(void *unused)
{
    pthread_mutex_lock(&lock);
    turn = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, first, 0);
    pthread_mutex_lock(&lock);
    int seen = turn;
    pthread_mutex_unlock(&lock);
    __VERIFIER_assume(seen == 1);
    assert(turn == 1);
    pthread_join(thread, 0);
    return 0;
}
