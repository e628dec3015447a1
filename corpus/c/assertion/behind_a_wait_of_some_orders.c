// Where the thread reads `x` early, it waits for a post that never comes; elsewhere it goes on to the
// assertion, which says nothing about `x`.
// options: --property assertion
// published: missed
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t never;
static int x = 1, y;

static void *look(void *unused)
{
    if (x)
        sem_wait(&never);
    assert(y == 1); // expect: assertion
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, 0, look, 0);
    x = 0;
    pthread_join(thread, 0);
    return 0;
}
