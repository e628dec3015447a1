// More keys than there may be at a time: the numbers of deleted ones are used again.
#include <assert.h>
#include <pthread.h>

static void *use(void *arg) {
    for (int i = 0; i < 1100; i++) {
        pthread_key_t key;
        int failed = pthread_key_create(&key, 0);
        assert(!failed);
        assert(!pthread_getspecific(key));
        pthread_setspecific(key, &key);
        pthread_key_delete(key);
    }
    return 0;
}

int main(void) {
    use(0);
}
