// Three philosophers, each takes the left fork first: a cycle of three.
#include <pthread.h>

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *seat)
{
    int i = *(int *)seat;
    pthread_mutex_lock(&forks[i]);
    pthread_mutex_lock(&forks[(i + 1) % 3]); // expect: deadlock
    pthread_mutex_unlock(&forks[(i + 1) % 3]);
    pthread_mutex_unlock(&forks[i]);
    return 0;
}

int main(void)
{
    static int seats[3] = {0, 1, 2};
    pthread_t a, b;
    pthread_create(&a, 0, dine, &seats[0]);
    pthread_create(&b, 0, dine, &seats[1]);
    dine(&seats[2]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
