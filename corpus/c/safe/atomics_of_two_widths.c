// A byte of a word is released, and the whole word acquired: whoever sees the byte sees what came before it.
#include <assert.h>
#include <pthread.h>

static long word;
static int data;

static void *publish(void *unused) {
    (void)unused;
    data = 1;
    __atomic_store_n((char *)&word + 1, 1, __ATOMIC_RELEASE);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    if (__atomic_load_n(&word, __ATOMIC_ACQUIRE) != 0)
        assert(data == 1);
    pthread_join(thread, NULL);
    return 0;
}
