// The waiter goes on after one of two posts, and overwrites the semaphore. If both posts came before its wait, it knows of both;
// if not, the second one may come at the same time. Both orders lead to the same memory.
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static sem_t s;

static void *posts_twice(void *unused)
{
    sem_post(&s);
    sem_post(&s); // expect: data-race, pthread.uninitialized
    return unused;
}

static void *waits_once(void *unused)
{
    sem_wait(&s);
    memset(&s, 0, sizeof s); // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&s, 0, 0);
    pthread_create(&a, NULL, posts_twice, NULL);
    pthread_create(&b, NULL, waits_once, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
