// A once control that a copy of a fresh one replaces has not run.
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

static void *once(void *unused)
{
    pthread_once(&control, run);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, once, 0);
    pthread_join(thread, 0);
    memcpy(&control, &fresh, sizeof control);
    once(0);
    assert(runs == 1); // expect: assertion
    return 0;
}
