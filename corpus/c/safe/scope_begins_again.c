// A thread shows another one a local whose scope begins again at the same address, and waits until
// the other has looked.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int *shown;
static int seen;

static void *look(void *rounds) {
    for (int i = 0; i < *(int *)rounds; i++) {
        pthread_mutex_lock(&lock);
        while (shown == NULL)
            pthread_cond_wait(&changed, &lock);
        assert(shown[1] == i);
        seen += shown[0];
        shown = NULL;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    int rounds = 2;
    pthread_t other;
    pthread_create(&other, NULL, look, &rounds);
    for (int i = 0; i < rounds; i++) {
        int mine[2];
        mine[0] = 1;
        mine[1] = i;
        pthread_mutex_lock(&lock);
        shown = mine;
        pthread_cond_broadcast(&changed);
        while (shown != NULL)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(other, NULL);
    assert(seen == 2);
    return 0;
}
