// A byte is released, then a relaxed store of the whole word takes its place: who reads the byte then knows nothing of the release.
#include <pthread.h>

static long word, done;
static int data;

static void *release(void *unused) {
    (void)unused;
    data = 1;
    __atomic_store_n((char *)&word + 1, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void *overwrite(void *unused) {
    (void)unused;
    if (__atomic_load_n(&done, __ATOMIC_RELAXED))
        __atomic_store_n(&word, 0x0202, __ATOMIC_RELAXED);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, release, NULL);
    pthread_create(&threads[1], NULL, overwrite, NULL);
    if (__atomic_load_n((char *)&word + 1, __ATOMIC_ACQUIRE) == 2)
        data = 2; // expect: data-race
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
