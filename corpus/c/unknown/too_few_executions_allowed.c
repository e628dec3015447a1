// Six executions, of which five are allowed.
// options: --max-executions 5
// unknown: executions
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void *work(void *digit)
{
    pthread_mutex_lock(&lock);
    order = order * 10 + *(int *)digit;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    static int digits[3] = {1, 2, 3};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, &digits[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
