// words: a q
// Operations before `main`, in handlers of a thread that ends early, and after `main`.
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static char in;
static void unlock(void *lock) { pthread_mutex_unlock(lock); }
__attribute__((constructor(101))) static void first(void) {
    pthread_mutex_lock(&lock); sum = 5; pthread_mutex_unlock(&lock);
}
__attribute__((destructor)) static void last(void) {
    pthread_mutex_lock(&lock); printf("%d\n", sum); pthread_mutex_unlock(&lock);
}
static void *work(void *number) {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    sum = sum * 3 + (int)(long)number;
    if (in == 'q')
        pthread_exit(number);
    pthread_cleanup_pop(1);
    pthread_mutex_lock(&lock); sum++; pthread_mutex_unlock(&lock);
    return NULL;
}
int main(int argc, char **argv) {
    in = argc > 1 ? argv[1][0] : 0;
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
