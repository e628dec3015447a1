// The server polls for ever as it is meant to; the client waits for an answer to a question that it has not put.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int question, answer;

static void *serve(void *unused)
{
    for (;;)
        if (atomic_load(&question)) {
            atomic_store(&answer, 42);
            atomic_store(&question, 0);
        }
    return unused;
}

int main(void)
{
    pthread_t server;
    pthread_create(&server, NULL, serve, NULL);
    while (atomic_load(&answer) != 42) // expect: liveness.spin
        ;
    pthread_exit(NULL);
}
