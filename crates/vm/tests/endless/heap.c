// A producer makes objects, a consumer frees them, for ever.
#include <pthread.h>
#include <stdlib.h>
static int *item;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *consume(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        while (!item) pthread_cond_wait(&c, &m);
        int *got = item;
        item = 0;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
        free(got);
    }
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, consume, 0);
    for (;;) {
        int *made = malloc(sizeof *made);
        *made = 1;
        pthread_mutex_lock(&m);
        while (item) pthread_cond_wait(&c, &m);
        item = made;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
}
