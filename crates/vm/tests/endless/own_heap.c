// Each thread makes and frees objects of its own, and resizes them, for ever; it has locals that escape, too.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void fill(int *p) { *p = 1; }
static void *work(void *arg) {
    for (;;) {
        char *text = malloc(8);
        memset(text, 1, 8);
        int local;
        fill(&local);
        text = realloc(text, 40);
        free(text);
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    work(0);
}
