// Two numbers with a lock each, changed by two threads in different order; looked at when both
// have ended.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int a = 10, b = 10;

static void *more(void *unused)
{
    pthread_mutex_lock(&first);
    a++;
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    b++;
    pthread_mutex_unlock(&second);
    return unused;
}

static void *much_more(void *unused)
{
    pthread_mutex_lock(&first);
    a += 5;
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    b -= 6;
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, more, 0);
    pthread_create(&other, 0, much_more, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(a == 16 && b == 5);
    return 0;
}
