// words: a x y
// A branch on the input: an operation more, on another object.
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int total, other;
static char mode;
static void *work(void *arg) {
    int k = *(int *)arg;
    if (mode == 'x' && k == 1) {
        pthread_mutex_lock(&n);
        other += k;
        pthread_mutex_unlock(&n);
    }
    pthread_mutex_lock(&m);
    total = total * 10 + k;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(int argc, char **argv) {
    pthread_t t[2];
    int ids[2] = {1, 2};
    if (argc > 1) mode = argv[1][0];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, &ids[i]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    printf("%d %d\n", total, other);
    return 0;
}
