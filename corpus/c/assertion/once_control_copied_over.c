// A once control that a copy of a fresh one replaces has not run, by whichever means it is copied.
// variant: -DCALLS=0
// variant: -DCALLS=1
// variant: --visibility memory -DCALLS=0
// variant: --visibility memory -DCALLS=1
#include <assert.h>
#include <pthread.h>
#include <string.h>

static const pthread_once_t fresh = PTHREAD_ONCE_INIT;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static int runs;

static void run(void)
{
    runs++;
}

static void *look(void *unused)
{
    static _Atomic int looked;
    looked = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_once(&control, run);
    pthread_create(&thread, 0, look, 0);
#if CALLS
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    copy(&control, &fresh, sizeof control);
#else
    memcpy(&control, &fresh, sizeof control);
#endif
    pthread_once(&control, run);
    assert(runs == 1); // expect: assertion
    pthread_join(thread, 0);
    return 0;
}
