// A fence within an atomic block is no point at which other threads run.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x, y;

static void *check(void *unused) {
    __VERIFIER_atomic_begin();
    assert(x == y);
    __VERIFIER_atomic_end();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, check, 0);
    __VERIFIER_atomic_begin();
    x = 1;
    atomic_thread_fence(memory_order_seq_cst);
    __builtin_ia32_pause();
    y = 1;
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
}
