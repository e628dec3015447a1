// The process does not end, but what is lost is lost.
// options: --property leak
#include <pthread.h>
#include <stdlib.h>

static char *text;

int main(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    text = malloc(10); // expect: memory.leak
    text = malloc(20);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    return 0;
}
