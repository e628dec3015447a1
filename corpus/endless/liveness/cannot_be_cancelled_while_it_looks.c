// The worker looks at a flag that nobody sets, and cannot be cancelled while it looks.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *worker(void *unused)
{
    for (;;) {
        int before;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
        int is_ready = atomic_load(&ready); // expect: liveness.spin
        pthread_setcancelstate(before, NULL);
        if (is_ready)
            return unused;
    }
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
