// The data is written under the mutex or after it; in the end memory is the same. The flag that says so publishes nothing: who has the mutex afterwards
// knows of a write under it only.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data, ok;
static atomic_int flag, hint;
static void publish(void)
{
    if (atomic_load_explicit(&hint, memory_order_relaxed) == 1 && atomic_load_explicit(&hint, memory_order_relaxed) == 0) {
        pthread_mutex_lock(&m); ok = 1; pthread_mutex_unlock(&m);
        data = 1;
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    } else {
        pthread_mutex_lock(&m); ok = 1; data = 1; pthread_mutex_unlock(&m);
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    }
}
static void *writer(void *u) { publish(); return u; }
int main(void)
{
    int seen = 0;
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    atomic_store_explicit(&hint, 1, memory_order_relaxed);
    atomic_store_explicit(&hint, 0, memory_order_relaxed);
    pthread_mutex_lock(&m); int o = ok; pthread_mutex_unlock(&m);
    if (o && atomic_load_explicit(&flag, memory_order_relaxed))
        seen = data; // expect: data-race
    pthread_join(thread, 0);
    return seen & 0;
}
