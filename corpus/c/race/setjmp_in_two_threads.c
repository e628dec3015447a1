// expect-anywhere: data-race
// setjmp writes to its buffer: two threads that use one buffer have a data race.
#include <pthread.h>
#include <setjmp.h>
static jmp_buf env;
static void *other(void *unused) {
    return setjmp(env) ? 0 : unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    if (setjmp(env))
        return 1;
    pthread_join(t, 0);
    return 0;
}
