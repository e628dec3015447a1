// words: a b c d
// Threads that create threads, pthread_exit, a lock held over a branch; the input decides who is created.
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, locks[2];
static char in;
static long log_[16];
static int length;

static void note(long what) {
    pthread_mutex_lock(&a);
    log_[length++] = what;
    pthread_mutex_unlock(&a);
}

static void *leaf(void *arg) {
    pthread_mutex_lock(&locks[(long)arg & 1]);
    note((long)arg);
    if (in == 'b')
        note(10 * (long)arg);
    pthread_mutex_unlock(&locks[(long)arg & 1]);
    pthread_exit(arg);
}

static void *middle(void *arg) {
    pthread_t one, two;
    void *result = 0;
    pthread_create(&one, 0, leaf, (void *)2);
    if (in != 'c') {
        pthread_create(&two, 0, leaf, (void *)3);
        note(1);
        pthread_join(two, &result);
    }
    pthread_join(one, 0);
    return result ? result : arg;
}

int main(int argc, char **argv) {
    pthread_t thread;
    void *result;
    in = argc > 1 ? argv[1][0] : 0;
    for (int i = 0; i < 2; i++)
        pthread_mutex_init(&locks[i], 0);
    pthread_create(&thread, 0, middle, (void *)5);
    if (in == 'd')
        note(7);
    pthread_join(thread, &result);
    for (int i = 0; i < length; i++)
        printf("%ld ", log_[i]);
    printf("%ld\n", (long)result);
    return 0;
}
