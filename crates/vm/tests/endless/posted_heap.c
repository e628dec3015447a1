// The same over semaphores; what is passed on has a lock of its own.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct item { pthread_mutex_t m; int value; };
static struct item *item;
static sem_t full, room;
static void *consume(void *arg) {
    for (;;) {
        sem_wait(&full);
        struct item *got = item;
        pthread_mutex_lock(&got->m);
        got->value++;
        pthread_mutex_unlock(&got->m);
        free(got);
        sem_post(&room);
    }
}
int main(void) {
    pthread_t a;
    sem_init(&full, 0, 0);
    sem_init(&room, 0, 1);
    pthread_create(&a, 0, consume, 0);
    for (;;) {
        struct item *made = calloc(1, sizeof *made);
        pthread_mutex_init(&made->m, 0);
        sem_wait(&room);
        item = made;
        sem_post(&full);
    }
}
