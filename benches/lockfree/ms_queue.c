// The queue of Michael and Scott: N threads enqueue once, N dequeue once, if there is something.
#include "threads.h"

struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node nodes[N + 1];
static _Atomic(struct node *) head = &nodes[N], tail = &nodes[N];
static int taken[N];

static void enqueue(struct node *mine)
{
    for (;;) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (last != atomic_load(&tail))
            continue;
        if (next) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        if (atomic_compare_exchange_strong(&last->next, &next, mine)) {
            atomic_compare_exchange_strong(&tail, &last, mine);
            return;
        }
    }
}

static int dequeue(void)
{
    for (;;) {
        struct node *first = atomic_load(&head);
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (first != atomic_load(&head))
            continue;
        if (first == last) {
            if (!next)
                return 0;
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&head, &first, next)) {
            return next->value;
        }
    }
}

static void *work(void *number)
{
    long me = (long)number;
    if (me < N) {
        nodes[me].value = (int)me + 1;
        enqueue(&nodes[me]);
    } else {
        taken[me - N] = dequeue();
    }
    return 0;
}

int main(void)
{
    run(2 * N, work);
    int out = 0, left = 0;
    for (int i = 0; i < N; i++)
        out += taken[i] != 0;
    for (struct node *node = atomic_load(&head)->next; node; node = node->next)
        left++;
    assert(out + left == N);
    return 0;
}
