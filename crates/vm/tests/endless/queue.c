// A bounded queue between a producer and a consumer, for ever.
#include <pthread.h>
enum { SIZE = 2 };
static int queue[SIZE], head, count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static void *consume(void *arg) {
    int sum = 0;
    for (;;) {
        pthread_mutex_lock(&m);
        while (!count) pthread_cond_wait(&full, &m);
        sum = (sum + queue[head]) % 2;
        head = (head + 1) % SIZE;
        count--;
        pthread_cond_signal(&room);
        pthread_mutex_unlock(&m);
    }
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, consume, 0);
    for (;;) {
        pthread_mutex_lock(&m);
        while (count == SIZE) pthread_cond_wait(&room, &m);
        queue[(head + count) % SIZE] = 1;
        count++;
        pthread_cond_signal(&full);
        pthread_mutex_unlock(&m);
    }
}
