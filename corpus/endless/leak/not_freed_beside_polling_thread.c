// The process ends while another thread polls for ever, and what main allocated is still there.
// options: --property cleanup
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int polling;

static void *poll_for_ever(void *unused)
{
    for (;;)
        polling = !polling;
    return unused;
}

static char *kept;

int main(void)
{
    pthread_t thread;
    kept = malloc(8); // expect: memory.not-freed
    pthread_create(&thread, 0, poll_for_ever, 0);
    return 0;
}
