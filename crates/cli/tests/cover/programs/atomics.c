// words: a f u
// Atomic variables that nothing else orders: a flag that is polled, a lock by hand, a stack whose nodes are exchanged, and what was found.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
struct node {
    struct node *next;
    int value;
};
static _Atomic(struct node *) head;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_int ready, hits;
static int count, sum, rounds;
static void push(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = atomic_load(&head);
    while (!atomic_compare_exchange_weak(&head, &n->next, n))
        ;
}
static void *work(void *number) {
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        sched_yield();
    for (int i = 0; i < rounds; i++) {
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
            ;
        sum = sum * 3 + (int)(long)number;
        atomic_flag_clear_explicit(&lock, memory_order_release);
        push((int)(long)number * 10 + i);
    }
    return (void *)(long)atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
}
int main(int argc, char **argv) {
    pthread_t t[2];
    void *place[2];
    rounds = argv[1][0] < 'c' ? 1 : argv[1][0] < 'k' ? 2 : 3;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, (void *)(i + 1));
    if (argv[1][0] > 'r')
        atomic_fetch_add(&hits, 5);
    atomic_store_explicit(&ready, 1, memory_order_release);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &place[i]);
    printf("%d %ld %ld:", sum, (long)place[0], (long)place[1]);
    for (struct node *n = head, *next; n; n = next) {
        next = n->next;
        printf(" %d", n->value);
        free(n);
    }
    puts("");
    return 0;
}
