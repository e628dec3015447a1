// The writer comes back to where it was in each round, and so does the reader alone; but the reader may look between the two writes, and then lets both go.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int shown, seen;

static void *show(void *unused)
{
    while (!atomic_load(&seen)) {
        atomic_store(&shown, 1);
        atomic_store(&shown, 0);
    }
    return unused;
}

static void *look(void *unused)
{
    while (!atomic_load(&shown))
        ;
    atomic_store(&seen, 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, show, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
