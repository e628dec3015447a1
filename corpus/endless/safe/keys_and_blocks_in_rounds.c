// Each round has a key and a thread of its own. The thread allocates what main frees after the join.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static int *block;

static void *work(void *arg) {
    assert(!pthread_getspecific(key));
    pthread_setspecific(key, &block);
    block = malloc(sizeof *block);
    *block = 1;
    return 0;
}

int main(void) {
    for (;;) {
        pthread_key_create(&key, 0);
        assert(!pthread_getspecific(key));
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
        assert(*block == 1);
        free(block);
        pthread_setspecific(key, &block);
        pthread_key_delete(key);
    }
}
