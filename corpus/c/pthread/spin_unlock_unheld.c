// A spin lock is given back twice.
#include <pthread.h>

static pthread_spinlock_t lock;

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    pthread_spin_unlock(&lock); // expect: pthread.spin-unlock-unheld
    return 0;
}
