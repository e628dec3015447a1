// words: a z
// The main thread ends by itself when the threads that it does not join have.
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int sum, done;
static void *work(void *number) {
    pthread_detach(pthread_self());
    pthread_mutex_lock(&lock);
    sum = sum * 3 + (int)(long)number;
    done++;
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(int argc, char **argv) {
    char in = argc > 1 ? argv[1][0] : 0;
    pthread_t t;
    for (long i = 0; i < 2; i++) pthread_create(&t, 0, work, (void *)(i + 1));
    pthread_mutex_lock(&lock);
    while (done < 2) pthread_cond_wait(&told, &lock);
    printf("%d\n", sum);
    pthread_mutex_unlock(&lock);
    if (in == 'a') pthread_exit(NULL);
    return 0;
}
