// These are cancellation points, although they have nothing to wait for.
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t s;

static void *calls(void *arg)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_wait(&s);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    switch ((long)arg) {
    case 0:
        poll(0, 0, 0);
        break;
    case 1:
        fsync(1);
        break;
    case 2:
        wait(0);
        break;
    default:
        lockf(1, F_LOCK, 0);
        break;
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    return (void *)1;
}

int main(void)
{
    sem_init(&s, 0, 0);
    for (long i = 0; i < 4; i++) {
        pthread_t t;
        void *result = 0;
        pthread_create(&t, 0, calls, (void *)i);
        pthread_cancel(t);
        sem_post(&s);
        pthread_join(t, &result);
        assert(result == PTHREAD_CANCELED);
    }
    return 0;
}
