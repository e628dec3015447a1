// Main ends the process without joining who waits for its message: the process may end at any moment of the wait.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static int message, copy;

static void *reader(void *unused)
{
    while (!atomic_load(&ready))
        ;
    copy = message;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    message = 8;
    atomic_store(&ready, 1);
    return 0;
}
