// Each round creates a thread and joins it. The mistake shows where the thread of one round has
// changed the state twice before the thread of another one looks.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state;

static void *opens(void *arg) {
    pthread_mutex_lock(&lock);
    state = state == 2 ? 0 : state + 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *looks(void *arg) {
    pthread_mutex_lock(&lock);
    // Two of the states are expected.
    assert(state != 2); // expect: assertion
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, 0, __VERIFIER_nondet_bool() ? opens : looks, 0);
        pthread_join(thread, 0);
    }
}
