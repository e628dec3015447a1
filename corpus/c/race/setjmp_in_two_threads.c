// expect: race
// setjmp writes to its buffer: two threads that use one buffer have a data race, and one could jump
// into the other's function.
#include <pthread.h>
#include <setjmp.h>
static jmp_buf env;
static void *other(void *unused) {
    if (setjmp(env))
        return 0;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    if (setjmp(env) == 0)
        longjmp(env, 1);
    pthread_join(t, 0);
    return 0;
}
