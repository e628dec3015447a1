// Every third object is freed by the thread that made it, too.
#include <pthread.h>
#include <stdlib.h>

static int *item;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *consume(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!item)
            pthread_cond_wait(&changed, &lock);
        int *got = item;
        item = 0;
        pthread_cond_signal(&changed);
        free(got); // expect: memory.double-free
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t consumer;
    pthread_create(&consumer, 0, consume, 0);
    for (int round = 0;; round = (round + 1) % 3) {
        int *made = malloc(sizeof *made);
        if (!made)
            continue;
        pthread_mutex_lock(&lock);
        while (item)
            pthread_cond_wait(&changed, &lock);
        item = made;
        pthread_cond_signal(&changed);
        if (round == 2)
            free(made);
        pthread_mutex_unlock(&lock);
    }
}
