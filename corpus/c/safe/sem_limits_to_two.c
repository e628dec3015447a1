// A semaphore of value 2: never more than two of three threads are inside.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t places;
static int inside;

static void *visit(void *unused)
{
    sem_wait(&places);
    int now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    assert(now <= 2);
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    sem_post(&places);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&places, 0, 2);
    pthread_create(&a, 0, visit, 0);
    pthread_create(&b, 0, visit, 0);
    visit(0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
