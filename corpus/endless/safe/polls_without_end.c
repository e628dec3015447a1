// What a server does: it looks for work for ever, and there is none. No loop here is meant to end.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int work, done;

static int next(void)
{
    int got = atomic_load(&work);
    while (!got) {
        sched_yield();
        got = atomic_load(&work);
    }
    return got;
}

static void *serve(void *unused)
{
    for (;;) {
        int got = next();
        atomic_store(&work, 0);
        atomic_fetch_add(&done, got);
    }
    return unused;
}

int main(void)
{
    pthread_t server;
    pthread_create(&server, NULL, serve, NULL);
    atomic_store(&work, 1);
    pthread_exit(NULL);
}
