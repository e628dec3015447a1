// A sorted list without locks (Harris, DISC 2001): two threads insert and remove keys that they draw from a generator of
// their own. The assertion is about that generator.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef KEYS
#define KEYS 4
#endif

struct node {
    int key;
    // The lowest bit says that this node is removed.
    atomic_uintptr_t next;
};

static struct node tail = {1000, 0};
static struct node head = {-1, 0};
static struct node pool[2][KEYS];
static atomic_int length;

static struct node *pointer(uintptr_t link)
{
    return (struct node *)(link & ~(uintptr_t)1);
}

// The first node whose key is not less, and the one before it; removed nodes on the way are unlinked.
static struct node *search(int key, struct node **before)
{
again:
    *before = &head;
    struct node *at = pointer(atomic_load(&head.next));
    for (;;) {
        uintptr_t next = atomic_load(&at->next);
        while (next & 1) {
            uintptr_t expected = (uintptr_t)at;
            if (!atomic_compare_exchange_strong(&(*before)->next, &expected, next & ~(uintptr_t)1))
                goto again;
            at = pointer(next);
            next = atomic_load(&at->next);
        }
        if (at->key >= key)
            return at;
        *before = at;
        at = pointer(next);
    }
}

static int insert(struct node *node, int key)
{
    node->key = key;
    for (;;) {
        struct node *before, *at = search(key, &before);
        if (at->key == key)
            return 0;
        uintptr_t expected = (uintptr_t)at;
        atomic_store(&node->next, expected);
        if (atomic_compare_exchange_strong(&before->next, &expected, (uintptr_t)node)) {
            atomic_fetch_add(&length, 1);
            return 1;
        }
    }
}

static int take(int key)
{
    for (;;) {
        struct node *before, *at = search(key, &before);
        if (at->key != key)
            return 0;
        uintptr_t next = atomic_load(&at->next);
        if (!(next & 1) && atomic_compare_exchange_strong(&at->next, &next, next | 1)) {
            atomic_fetch_sub(&length, 1);
            return 1;
        }
    }
}

static void *work(void *arg)
{
    int id = (int)(intptr_t)arg;
    unsigned random = 7;
    for (int i = 0; i < KEYS; i++) {
        random = random * 1103515245u + 12345u;
        int key = (int)(random >> 16 & 7);
        assert(key >= 0 && key < 8);
        if (i % 4 == 3)
            take(key);
        else
            insert(&pool[id][i], key + id);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    atomic_store(&head.next, (uintptr_t)&tail);
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
