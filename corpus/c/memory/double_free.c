// Two threads each believe that they are the last.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int users = 2;
static void *object;

static void *leave(void *unused)
{
    users--;
    if (users == 0)
        free(object); // expect: memory.double-free, data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    object = malloc(8);
    pthread_create(&thread, 0, leave, 0);
    leave(0);
    pthread_join(thread, 0);
    return 0;
}
