// The flag itself is read in the plain way. Both stores leave the same memory behind; only one publishes itself.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int hint; static int flag;
static void publish(void)
{
    if (atomic_load_explicit(&hint, memory_order_relaxed) == 1 && atomic_load_explicit(&hint, memory_order_relaxed) == 0)
        __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
}
static void *writer(void *u) { publish(); return u; }
int main(void)
{
    int seen = 0;
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    atomic_store_explicit(&hint, 1, memory_order_relaxed);
    atomic_store_explicit(&hint, 0, memory_order_relaxed);
    if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        seen = flag; // expect: data-race
    pthread_join(thread, 0);
    return seen & 0;
}
