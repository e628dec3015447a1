// POSIX leaves undefined what initialising an initialised object does; a static initialiser is enough.
// variant: -DOBJECT=0
// variant: -DOBJECT=1
// variant: -DOBJECT=2
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    return OBJECT == 0 ? pthread_mutex_init(&mutex, 0) : OBJECT == 1 ? pthread_cond_init(&condition, 0) : pthread_rwlock_init(&lock, 0); // expect: pthread.double-init
}
