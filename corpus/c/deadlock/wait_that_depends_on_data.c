// Whether the thread waits for a post that never comes depends on when it reads `x`.
// options: --property assertion,deadlock
// published: missed
#include <pthread.h>
#include <semaphore.h>

static sem_t never;
static int x;

static void *look(void *unused)
{
    if (x)
        sem_wait(&never); // expect: deadlock
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, 0, look, 0);
    x = 1;
    pthread_join(thread, 0);
    return 0;
}
