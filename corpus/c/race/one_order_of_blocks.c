// The blocks touch different memory, and order what stands around them: only if main's comes first is there a race.
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int mine, other, shared;
static void *work(void *unused)
{
    shared = 1; // expect: data-race
    __VERIFIER_atomic_begin();
    other++;
    __VERIFIER_atomic_end();
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    __VERIFIER_atomic_begin();
    mine++;
    __VERIFIER_atomic_end();
    shared = 2; // expect: data-race
    pthread_join(thread, 0);
    return 0;
}
