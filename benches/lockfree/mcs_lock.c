// The queue lock of Mellor-Crummey and Scott: N threads, each spins on its own node.
#include "threads.h"

struct node {
    _Atomic(struct node *) next;
    atomic_bool waits;
};

static struct node nodes[N];
static _Atomic(struct node *) tail;
static int inside;

static void *work(void *number)
{
    struct node *mine = &nodes[(long)number];
    struct node *before = atomic_exchange(&tail, mine);
    if (before) {
        atomic_store(&mine->waits, true);
        atomic_store(&before->next, mine);
        while (atomic_load(&mine->waits)) {
        }
    }
    inside++;
    struct node *after = atomic_load(&mine->next);
    if (!after) {
        struct node *expected = mine;
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return 0;
        while (!(after = atomic_load(&mine->next))) {
        }
    }
    atomic_store(&after->waits, false);
    return 0;
}

int main(void)
{
    run(N, work);
    assert(inside == N);
    return 0;
}
