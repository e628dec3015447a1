// The main thread counts up while it creates N threads; each marks the place that it finds counted.
#include "threads.h"

static atomic_int counted, marks[N + 1];

static void *work(void *unused)
{
    atomic_store(&marks[atomic_load(&counted)], 1);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        atomic_store(&counted, i + 1);
        pthread_create(&threads[i], 0, work, 0);
    }
    int sum = 0;
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    for (int i = 1; i <= N; i++)
        sum += marks[i];
    assert(sum >= 1 && sum <= N);
    return 0;
}
