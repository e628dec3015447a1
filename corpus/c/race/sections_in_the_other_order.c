// Each thread has a critical section, and the second one reads `x` behind its own. If its section is the later one, it knows of
// the write; if it is the earlier one, nothing orders the two. Both orders lead to the same memory.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static int x;

static void *writes(void *unused)
{
    pthread_mutex_lock(&m);
    x = 1; // expect: data-race
    pthread_mutex_unlock(&m);
    return unused;
}

static void *reads(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    sem_post(&done);
    int seen = x; // expect: data-race
    return seen == 2 ? unused : NULL;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&done, 0, 0);
    pthread_create(&a, NULL, writes, NULL);
    pthread_create(&b, NULL, reads, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
