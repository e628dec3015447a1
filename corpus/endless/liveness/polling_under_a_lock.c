// Both poll under the lock for what the other would do after it.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done[2];

static void *work(void *argument)
{
    int *mine = argument;
    int *other = &done[1 - (mine - done)];
    for (;;) {
        pthread_mutex_lock(&lock);
        int ready = *other; // expect: liveness.spin
        pthread_mutex_unlock(&lock);
        if (ready)
            break;
        usleep(100);
    }
    pthread_mutex_lock(&lock);
    *mine = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, &done[0]);
    pthread_create(&b, NULL, work, &done[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
