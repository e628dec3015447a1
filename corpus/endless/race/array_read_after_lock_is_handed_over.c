// Two threads hand three locks round. What each has read last differs from round to round, and nothing else does: a state is known only if
// that is the same, too.
#include <pthread.h>

enum { COUNT = 40 };
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER,
                       third = PTHREAD_MUTEX_INITIALIZER, guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t start;
static int data[COUNT], other[COUNT], told, round_of_main;

static void read_of(const int *array, int index) { (void)*(const volatile int *)&array[index]; } // expect: data-race

static void *worker(void *unused)
{
    pthread_mutex_lock(&third);
    pthread_barrier_wait(&start);
    for (;;) {
        pthread_mutex_lock(&first);
        int again = told;
        told = 1;
        read_of(other, again ? 25 : 5);
        pthread_mutex_lock(&guard);
        data[7] = 1; // expect: data-race
        pthread_mutex_unlock(&guard);
        pthread_mutex_unlock(&third);
        pthread_mutex_lock(&second);
        pthread_mutex_unlock(&first);
        pthread_mutex_lock(&third);
        pthread_mutex_unlock(&second);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&start, 0, 2);
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&first);
    pthread_barrier_wait(&start);
    for (;;) {
        pthread_mutex_lock(&second);
        int again = round_of_main;
        round_of_main = 1;
        pthread_mutex_unlock(&first);
        read_of(data, again ? 7 : 27);
        pthread_mutex_lock(&third);
        pthread_mutex_unlock(&second);
        pthread_mutex_lock(&first);
        pthread_mutex_unlock(&third);
    }
}
