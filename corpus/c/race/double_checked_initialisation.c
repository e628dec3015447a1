// The first, unlocked look at the pointer races with the write under the lock.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int storage, *instance;

static void *use(void *unused)
{
    if (!instance) {
        pthread_mutex_lock(&lock);
        if (!instance) {
            storage = 5;
            instance = &storage; // expect: data-race
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    use(0);
    pthread_join(thread, 0);
    return 0;
}
