// A lookup that finds nothing in one of the two orders.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int key;
};

static struct node only = {1};
static _Atomic(struct node *) list = &only;

static void *clear(void *unused)
{
    list = NULL;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, clear, 0);
    struct node *found = list;
    int key = found->key; // expect: memory.null-dereference
    pthread_join(thread, 0);
    return key & 0;
}
