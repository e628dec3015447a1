// words: 0 1 2 3 4
// A bounded queue between a producer and two consumers: the input is how many items there are.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#define ROOM 2
static int items[ROOM], head, tail, sums[2];
static sem_t full, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(int item) {
    sem_wait(&room);
    pthread_mutex_lock(&lock);
    items[tail++ % ROOM] = item;
    pthread_mutex_unlock(&lock);
    sem_post(&full);
}

static void *consume(void *arg) {
    int me = *(int *)arg;
    for (;;) {
        sem_wait(&full);
        pthread_mutex_lock(&lock);
        int item = items[head++ % ROOM];
        pthread_mutex_unlock(&lock);
        sem_post(&room);
        if (item == 0)
            return 0;
        sums[me] = sums[me] * 7 + item;
    }
}

int main(int argc, char **argv) {
    int count = argc > 1 ? argv[1][0] - '0' : 0;
    if (count < 0 || count > 4)
        count = 0;
    sem_init(&full, 0, 0);
    sem_init(&room, 0, ROOM);
    pthread_t threads[2];
    int names[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, consume, &names[i]);
    for (int i = 1; i <= count; i++)
        put(i);
    put(0);
    put(0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    printf("%d %d\n", sums[0], sums[1]);
    return 0;
}
