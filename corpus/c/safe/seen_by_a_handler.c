// What a thread did before it sent a signal, or gave a function for the quick end, is done when the handler or the function runs.
// variant: -DQUICK=0
// variant: -DQUICK=1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

static int plain;
static atomic_int has_run;

static void look(void)
{
    assert(plain == 1);
    atomic_store_explicit(&has_run, 1, memory_order_relaxed);
}

static void on_signal(int number)
{
    (void)number;
    look();
}

static pthread_t starter;

static void *prepare(void *unused)
{
    plain = 1;
#if QUICK
    at_quick_exit(look);
#else
    pthread_kill(starter, SIGUSR1);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = on_signal};
    starter = pthread_self();
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, prepare, NULL);
    pthread_detach(thread);
    (void)atomic_load_explicit(&has_run, memory_order_relaxed);
#if QUICK
    quick_exit(0);
#endif
    return 0;
}
