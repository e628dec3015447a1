// Two threads both initialise the mutex they share.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock;

static void *use(void *unused)
{
    pthread_mutex_init(&lock, 0); // expect: pthread.double-init
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    use(0);
    pthread_join(thread, 0);
    return 0;
}
