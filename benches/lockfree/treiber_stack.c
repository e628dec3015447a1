// Treiber's stack: PUSHERS threads push one node each, POPPERS pop once, if there is something.
#include "threads.h"

struct node {
    struct node *next;
    int value;
};

static struct node nodes[PUSHERS];
static _Atomic(struct node *) top;
static int popped[POPPERS];

static void *work(void *number)
{
    long me = (long)number;
    struct node *old;
    if (me < PUSHERS) {
        struct node *mine = &nodes[me];
        mine->value = (int)me + 1;
        do
            mine->next = old = atomic_load(&top);
        while (!atomic_compare_exchange_strong(&top, &old, mine));
    } else {
        do
            old = atomic_load(&top);
        while (old && !atomic_compare_exchange_strong(&top, &old, old->next));
        if (old)
            popped[me - PUSHERS] = old->value;
    }
    return 0;
}

int main(void)
{
    run(PUSHERS + POPPERS, work);
    int left = 0, taken = 0;
    for (struct node *node = top; node; node = node->next)
        left++;
    for (int i = 0; i < POPPERS; i++)
        taken += popped[i] != 0;
    assert(left + taken == PUSHERS);
    return 0;
}
