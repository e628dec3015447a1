// Stages that hand items on through bounded queues, one thread a stage. The input is how many items there are.
#include "common.h"
#ifndef WORK
#define WORK 1000
#endif
#define ROOM 2
static struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned items[ROOM];
    int head, tail;
} queues[THREADS];

static void put(struct queue *q, unsigned item) {
    pthread_mutex_lock(&q->lock);
    while (q->tail - q->head == ROOM)
        pthread_cond_wait(&q->changed, &q->lock);
    q->items[q->tail++ % ROOM] = item;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static unsigned get(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    while (q->tail == q->head)
        pthread_cond_wait(&q->changed, &q->lock);
    unsigned item = q->items[q->head++ % ROOM];
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return item;
}

static unsigned sum, taken;

static void *stage(void *arg) {
    struct queue *in = arg;
    int is_last = in == &queues[THREADS - 1];
    for (unsigned item; (item = get(in)) != 0;) {
        for (int i = 0; i < WORK; i++)
            item = item * 69069u + 1;
        if (is_last)
            sum = sum * 31 + item, taken++;
        else
            put(in + 1, item | 1);
    }
    if (!is_last)
        put(in + 1, 0);
    return 0;
}

int main(int argc, char **argv) {
    int count = argc > 1 && argv[1][0] >= '0' && argv[1][0] <= '4' ? argv[1][0] - '0' : 0;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_mutex_init(&queues[i].lock, 0);
        pthread_cond_init(&queues[i].changed, 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, stage, &queues[i]);
    for (int i = 1; i <= count; i++)
        put(&queues[0], (unsigned)i);
    put(&queues[0], 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    printf("%u %u\n", taken, sum);
    return 0;
}
