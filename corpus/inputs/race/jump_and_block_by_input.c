// A race on a variable with an input, which both threads decide on: one after a jump, one in an
// atomic block.
#include <pthread.h>
#include <setjmp.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int value;

static void *work(void *unused)
{
    volatile int seen = 0;
    jmp_buf buffer;
    if (!setjmp(buffer)) {
        seen = value & 3;
        longjmp(buffer, 1);
    } else {
        value = 0; // expect: data-race
        __VERIFIER_atomic_begin();
        if (seen)
            value = 0;
        __VERIFIER_atomic_end();
    }
    return unused;
}

int main(void)
{
    volatile int rounds = 0, seen = 0;
    pthread_t thread;
    value = (int)(__VERIFIER_nondet_uint() & 1);
    pthread_create(&thread, 0, work, 0);
    jmp_buf back;
    (void)setjmp(back);
    if (seen) {
    }
    seen = value & 3; // expect: data-race
    if (++rounds < 2)
        longjmp(back, 1);
    return 0;
}
