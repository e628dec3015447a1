// One thread only posts, another only waits; a third has a turn with each.
#include <pthread.h>
#include <semaphore.h>
static sem_t full, room;
static void *take(void *arg) {
    for (;;) { sem_wait(&full); sem_post(&room); }
}
int main(void) {
    pthread_t a, b;
    sem_init(&full, 0, 0);
    sem_init(&room, 0, 2);
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    for (;;) { sem_wait(&room); sem_post(&full); }
}
