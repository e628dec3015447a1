// One to three threads, as an input says, each with one section under one mutex: 1! + 2! + 3! orders.
// count(dpor)=9
#include <assert.h>
#include <pthread.h>

int klee_range(int begin, int end, const char *name);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *unused)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    int number = klee_range(1, 4, "number");
    for (int i = 0; i < number; i++)
        pthread_create(&threads[i], 0, count, 0);
    for (int i = 0; i < number; i++)
        pthread_join(threads[i], 0);
    assert(counter == number);
    return 0;
}
