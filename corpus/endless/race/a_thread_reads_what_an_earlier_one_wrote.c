// The threads of different rounds do not race, since main joins them. The thread that stays beside
// them does.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int written, shown;

static void *writes(void *arg) {
    written = 1 - written; // expect: data-race
    return 0;
}

static void *stays(void *arg) {
    for (;;) {
        pthread_mutex_lock(&lock);
        int now = shown;
        pthread_mutex_unlock(&lock);
        if (now)
            shown = written; // expect: data-race
    }
}

int main(void) {
    pthread_t thread, long_one;
    pthread_create(&long_one, 0, stays, 0);
    for (;;) {
        pthread_create(&thread, 0, writes, 0);
        pthread_join(thread, 0);
        pthread_mutex_lock(&lock);
        shown = written; // expect: data-race
        pthread_mutex_unlock(&lock);
    }
}
