// Which mutex is taken second depends on a number: that decides about the deadlock.
// options: --property assertion,deadlock --visibility memory
// count(predicate)=7
// published: found
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int choice, unused_number;

static void *change(void *unused)
{
    choice = 1;
    unused_number = 7;
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    unused_number = 8;
    pthread_mutex_t *one = choice ? &second : &first;
    pthread_mutex_t *other = choice ? &first : &second;
    pthread_mutex_lock(one);
    pthread_mutex_lock(other); // expect: deadlock
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
    pthread_join(thread, 0);
    return 0;
}
