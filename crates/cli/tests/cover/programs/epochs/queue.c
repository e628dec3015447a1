/* A bounded queue, with any number of items. */
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
#include <assert.h>
#define SIZE 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int queue[SIZE], head, tail, count, items;
static long sum;
static void *produce(void *arg) {
    for (int i = 0; i < items; i++) {
        pthread_mutex_lock(&m);
        while (count == SIZE) pthread_cond_wait(&not_full, &m);
        queue[tail] = i;
        tail = (tail + 1) % SIZE;
        count++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
static void *consume(void *arg) {
    for (int i = 0; i < items; i++) {
        pthread_mutex_lock(&m);
        while (count == 0) pthread_cond_wait(&not_empty, &m);
        sum += queue[head];
        head = (head + 1) % SIZE;
        count--;
        assert(count >= 0);
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(int argc, char **argv) {
    items = atoi(argv[1]);
    pthread_t p, c;
    pthread_create(&p, 0, produce, 0);
    pthread_create(&c, 0, consume, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    printf("%ld\n", sum);
    return 0;
}
