// What becomes of the control is left open by POSIX: glibc makes it new.
// unknown: longjmp out of the routine of pthread_once
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static jmp_buf out;
static int runs;

static void routine(void)
{
    runs++;
    longjmp(out, 1);
}

int main(void)
{
    for (int i = 0; i < 2; i++)
        if (!setjmp(out))
            pthread_once(&once, routine);
    assert(runs == 1);
    return 0;
}
