// Readers must not see the two halves of an update apart; one writer forgot that both need one lock section.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *writer(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    left++;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    right++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_rwlock_rdlock(&lock);
    assert(left == right); // expect: assertion
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
