// Two threads push on a list with a weak compare-exchange in a loop, as it is meant to be used.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    struct node *next;
};

static _Atomic(struct node *) head;

static void *push(void *argument)
{
    struct node *node = argument;
    node->next = atomic_load(&head);
    while (!atomic_compare_exchange_weak(&head, &node->next, node))
        ;
    return 0;
}

int main(void)
{
    pthread_t one, two;
    struct node a, b;
    pthread_create(&one, 0, push, &a);
    pthread_create(&two, 0, push, &b);
    pthread_join(one, 0);
    pthread_join(two, 0);
    struct node *first = atomic_load(&head);
    assert(first == &a && a.next == &b && !b.next || first == &b && b.next == &a && !a.next);
    return 0;
}
