// A spin lock is destroyed while it is held.
#include <pthread.h>

static pthread_spinlock_t lock;

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_trylock(&lock);
    pthread_spin_destroy(&lock); // expect: pthread.spin-destroy-held
    return 0;
}
