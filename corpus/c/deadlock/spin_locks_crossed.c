// Spin locks in opposite orders spin for ever: a deadlock all the same.
#include <pthread.h>

static pthread_spinlock_t a, b;

static void *other(void *unused)
{
    pthread_spin_lock(&b);
    pthread_spin_lock(&a); // expect: deadlock
    pthread_spin_unlock(&a);
    pthread_spin_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&a, 0);
    pthread_spin_init(&b, 0);
    pthread_create(&thread, 0, other, 0);
    pthread_spin_lock(&a);
    pthread_spin_lock(&b);
    pthread_spin_unlock(&b);
    pthread_spin_unlock(&a);
    pthread_join(thread, 0);
    return 0;
}
