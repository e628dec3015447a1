// A skip list of two levels without locks, insertion only. THREADS threads insert KEYS keys each. With FOUND, all of them
// are looked for at the end; else the assertion is about the heights alone.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef KEYS
#define KEYS 1
#endif
#define LEVELS 2

struct node {
    int key;
    struct node *_Atomic next[LEVELS];
};

static struct node head, pool[THREADS][KEYS];
static atomic_int size, retries;

static void search(int key, struct node **before, struct node **after)
{
    struct node *at = &head;
    for (int level = LEVELS - 1; level >= 0; level--) {
        struct node *next = atomic_load(&at->next[level]);
        while (next && next->key < key) {
            at = next;
            next = atomic_load(&at->next[level]);
        }
        before[level] = at;
        after[level] = next;
    }
}

static int insert(struct node *node, int key, int height)
{
    struct node *before[LEVELS], *after[LEVELS];
    node->key = key;
    for (;;) {
        search(key, before, after);
        if (after[0] && after[0]->key == key)
            return 0;
        struct node *expected = after[0];
        atomic_store(&node->next[0], expected);
        if (atomic_compare_exchange_strong(&before[0]->next[0], &expected, node))
            break;
        atomic_fetch_add(&retries, 1);
    }
    for (int level = 1; level < height; level++) {
        for (;;) {
            struct node *expected = after[level];
            atomic_store(&node->next[level], expected);
            if (atomic_compare_exchange_strong(&before[level]->next[level], &expected, node))
                break;
            atomic_fetch_add(&retries, 1);
            search(key, before, after);
        }
    }
    atomic_fetch_add(&size, 1);
    return 1;
}

static int contains(int key)
{
    struct node *before[LEVELS], *after[LEVELS];
    search(key, before, after);
    return after[0] && after[0]->key == key;
}

static void *work(void *arg)
{
    int id = (int)(intptr_t)arg;
    for (int i = 0; i < KEYS; i++) {
        int key = 1 + i * THREADS + id, height = 1 + key % LEVELS;
        assert(height >= 1 && height <= LEVELS);
        insert(&pool[id][i], key, height);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
#ifdef FOUND
    for (int key = 1; key <= THREADS * KEYS; key++)
        assert(contains(key));
#else
    contains(1);
#endif
    return 0;
}
