// Each thread has its own mutex and its own data: nothing depends on anything, one execution shows all.
// count(dpor)=1
// count(dpor,memory)=1
#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    int value;
} cells[3] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};

static void *work(void *cell)
{
    int i = *(int *)cell;
    pthread_mutex_lock(&cells[i].lock);
    cells[i].value = i;
    pthread_mutex_unlock(&cells[i].lock);
    return 0;
}

int main(void)
{
    static int numbers[3] = {0, 1, 2};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, &numbers[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
