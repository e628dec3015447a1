// An assumption, as programs write it that have no other way.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static void assume(int condition)
{
loop:
    if (!condition)
        goto loop;
}

static int limit;

static void *check(void *unused)
{
    assert(limit > 2 && limit < 5);
    return unused;
}

int main(void)
{
    pthread_t thread;
    limit = __VERIFIER_nondet_int();
    assume(limit > 2);
    assume(limit < 5);
    pthread_create(&thread, 0, check, 0);
    pthread_join(thread, 0);
    return 0;
}
