// A mutex in fresh heap memory, locked without having been initialised.
#include <pthread.h>
#include <stdlib.h>

int main(void)
{
    pthread_mutex_t *lock = malloc(sizeof *lock);
    pthread_mutex_lock(lock); // expect: pthread.uninitialized
    pthread_mutex_unlock(lock);
    free(lock);
    return 0;
}
