// A server without an end creates a thread for each request, two at a time. What one thread leaves
// behind (thread-local variables, errno, thread-specific data) is not there for the one that takes
// its place.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

struct request {
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int sum;
static _Thread_local int calls = 7;

static void *serve(void *arg) {
    struct request *request = arg;
    assert(calls == 7 && errno == 0 && pthread_getspecific(key) == 0);
    calls++;
    errno = EINTR;
    pthread_setspecific(key, &sum);
    pthread_mutex_lock(&lock);
    sum = (sum + request->number) % 3;
    pthread_mutex_unlock(&lock);
    free(request);
    return 0;
}

int main(void) {
    pthread_key_create(&key, 0);
    for (;;) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) {
            struct request *request = malloc(sizeof *request);
            request->number = 1;
            if (__VERIFIER_nondet_bool())
                request->number = 2;
            pthread_create(&threads[i], 0, serve, request);
        }
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], 0);
    }
}
