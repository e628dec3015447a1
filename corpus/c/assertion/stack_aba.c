// The ABA problem: the top is the same node again, but what was below it is gone.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int popped;
};

static struct node a, b;
static _Atomic(struct node *) top;

static struct node *pop(void)
{
    struct node *old = top, *next;
    if (!old)
        return NULL;
    next = old->next;
    return atomic_compare_exchange_strong(&top, &old, next) ? old : NULL;
}

static void *other(void *unused)
{
    struct node *first = pop(), *second = pop();
    if (first && second) {
        second->popped = 1;
        first->next = NULL;
        struct node *empty = NULL;
        atomic_compare_exchange_strong(&top, &empty, first);
    }
    return unused;
}

int main(void)
{
    a.next = &b;
    top = &a;
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pop();
    pthread_join(thread, 0);
    struct node *now = top;
    assert(!now || !now->popped); // expect: assertion
    return 0;
}
