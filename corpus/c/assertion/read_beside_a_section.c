// The reader is outside of the lock that guards both writes, and its own section is about something
// else. Between the two writes it reads 1. Sections must not be taken as one event here.
// options: --property assertion,deadlock,pthread
// count(predicate)=4
// published: missed
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, c;

static void *writer(void *unused)
{
    pthread_mutex_lock(&lock);
    a = 1;
    a = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_mutex_lock(&lock);
    c = 1;
    pthread_mutex_unlock(&lock);
    assert(a != 1); // expect: assertion
    pthread_join(thread, 0);
    return c != 1;
}
