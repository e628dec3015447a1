// Two threads that take two locks in opposite orders give the first one back if they do not get the second one.
// words: a x
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int count, turned;

static void add(pthread_mutex_t *one, pthread_mutex_t *other)
{
    for (;;) {
        pthread_mutex_lock(one);
        if (!pthread_mutex_trylock(other))
            break;
        pthread_mutex_unlock(one);
    }
    count++;
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

static void *adds(void *argument)
{
    add(&first, &second);
    return argument;
}

static void *adds_turned(void *argument)
{
    if (turned)
        add(&second, &first);
    else
        add(&first, &second);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    turned = argc > 1 && argv[1][0] == 'x';
    pthread_create(&threads[0], NULL, adds, NULL);
    pthread_create(&threads[1], NULL, adds_turned, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return count != 2;
}
