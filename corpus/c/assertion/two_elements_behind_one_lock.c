// Two of the three threads use the same element behind the lock, the third one another one: the order
// of the first two matters, and the third one has no part in it.
// options: --property assertion,deadlock,pthread
// count(predicate)=2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int array[2];

static void *set(void *arg)
{
    pthread_mutex_lock(&lock);
    array[(long)arg / 2] = (int)(long)arg + 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, set, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(array[1] == 3);
    assert(array[0] == 2); // expect: assertion
    return 0;
}
