// words: 0 1 2 3 4
// A bounded queue with condition variables: the input is how many items there are.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define ROOM 2
struct queue { pthread_mutex_t lock; pthread_cond_t filled, emptied; int items[ROOM], head, tail, closed; };
static struct queue *q;
static int sums[2];

static void put(int item) {
    pthread_mutex_lock(&q->lock);
    while (q->tail - q->head == ROOM)
        pthread_cond_wait(&q->emptied, &q->lock);
    q->items[q->tail++ % ROOM] = item;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static void *consume(void *arg) {
    int me = *(int *)arg;
    for (;;) {
        pthread_mutex_lock(&q->lock);
        while (q->tail == q->head && !q->closed)
            pthread_cond_wait(&q->filled, &q->lock);
        if (q->tail == q->head) {
            pthread_mutex_unlock(&q->lock);
            return 0;
        }
        int item = q->items[q->head++ % ROOM];
        pthread_cond_signal(&q->emptied);
        pthread_mutex_unlock(&q->lock);
        sums[me] = sums[me] * 7 + item;
    }
}

int main(int argc, char **argv) {
    int count = argc > 1 ? argv[1][0] - '0' : 0;
    if (count < 0 || count > 4)
        count = 0;
    q = calloc(1, sizeof *q);
    pthread_mutex_init(&q->lock, 0);
    pthread_cond_init(&q->filled, 0);
    pthread_cond_init(&q->emptied, 0);
    pthread_t threads[2];
    int names[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, consume, &names[i]);
    for (int i = 1; i <= count; i++)
        put(i);
    pthread_mutex_lock(&q->lock);
    q->closed = 1;
    pthread_cond_broadcast(&q->filled);
    pthread_mutex_unlock(&q->lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    printf("%d %d\n", sums[0], sums[1]);
    pthread_cond_destroy(&q->filled);
    pthread_cond_destroy(&q->emptied);
    pthread_mutex_destroy(&q->lock);
    free(q);
    return 0;
}
