// Zeroed memory may be initialised, or used at once as glibc has it; what was destroyed may be initialised again.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t zeroed, used_as_it_is;
static pthread_mutex_t reused = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static const pthread_mutex_t pattern = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_init(&zeroed, 0);
    pthread_mutex_lock(&used_as_it_is);
    pthread_mutex_unlock(&used_as_it_is);
    pthread_mutex_destroy(&reused);
    pthread_mutex_init(&reused, 0);
    pthread_mutex_lock(&recursive);
    assert(pthread_mutex_trylock(&recursive) == 0);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_cond_signal(&condition);
    pthread_mutex_t *copy = malloc(sizeof *copy);
    *copy = pattern;
    pthread_mutex_lock(copy);
    pthread_mutex_unlock(copy);
    free(copy);
    return 0;
}
