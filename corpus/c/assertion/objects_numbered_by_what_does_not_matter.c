// An allocation more or less, which matters to nothing, gives the mutex another address.
// options: --property assertion,deadlock --visibility memory
// count(predicate)=6
// published: found
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t mutex;
    int value;
};

static atomic_int y;
static struct node *_Atomic shared;

static void *publish(void *unused)
{
    if (y)
        free(malloc(1));
    struct node *node = malloc(sizeof *node);
    pthread_mutex_init(&node->mutex, 0);
    node->value = 0;
    shared = node;
    pthread_mutex_lock(&node->mutex);
    node->value = 1;
    node->value = 2;
    pthread_mutex_unlock(&node->mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    y = 1;
    struct node *node = shared;
    if (node) {
        pthread_mutex_lock(&node->mutex);
        assert(node->value != 2); // expect: assertion
        pthread_mutex_unlock(&node->mutex);
    }
    pthread_join(thread, 0);
    return 0;
}
