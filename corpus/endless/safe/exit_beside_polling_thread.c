// Main ends the process while another thread polls for ever. What runs at the end is seen: the handler finds what it expects.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int polls;

static void *poll_for_ever(void *unused)
{
    for (;;) {
        polls = (polls + 1) % 2;
        usleep(10);
    }
    return unused;
}

static void at_end(void)
{
    assert(polls < 2);
}

int main(void)
{
    pthread_t thread;
    atexit(at_end);
    pthread_create(&thread, 0, poll_for_ever, 0);
    exit(0);
}
