// Two threads push onto a lock-free stack; nothing is lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    struct node *next;
};

static struct node nodes[2];
static _Atomic(struct node *) top;

static void *push(void *element)
{
    struct node *node = element, *old = atomic_load(&top);
    do
        node->next = old;
    while (!atomic_compare_exchange_weak(&top, &old, node));
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, push, &nodes[0]);
    push(&nodes[1]);
    pthread_join(thread, 0);
    struct node *first = atomic_load(&top);
    assert(first->next && !first->next->next && first != first->next);
    return 0;
}
