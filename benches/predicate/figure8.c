// Figure 8 of Kusano and Wang: two threads work on two halves of an array under one lock.
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int array[16];

static void *work(void *arg)
{
    int from = (int)(intptr_t)arg;
    for (int i = from; i < from + 8; i++) {
        pthread_mutex_lock(&lock);
        array[i] = array[i] + 1;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, work, (void *)(intptr_t)0);
    pthread_create(&other, 0, work, (void *)(intptr_t)8);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
