// Main ends the process while another thread polls for ever; the handler that runs then assumes that nobody polls any more.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int polling;

static void *poll_for_ever(void *unused)
{
    for (;;) {
        polling = 1;
        usleep(10);
        polling = 0;
    }
    return unused;
}

static void at_end(void)
{
    assert(!polling); // expect: assertion
}

int main(void)
{
    pthread_t thread;
    atexit(at_end);
    pthread_create(&thread, 0, poll_for_ever, 0);
    exit(0);
}
