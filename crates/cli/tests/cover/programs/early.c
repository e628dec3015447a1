// A worker counts itself before its first operation, and the main thread looks at that later. No operation of the worker comes
// before one of the main thread that does: only the begin of a part orders the two.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_uint ready;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static sem_t go, done;
static int stop;

static void *work(void *unused) {
    atomic_fetch_add_explicit(&ready, 1, memory_order_relaxed);
    pthread_mutex_lock(&m[1]);
    pthread_mutex_unlock(&m[1]);
    for (;;) {
        sem_wait(&go);
        if (stop)
            return unused;
        sem_post(&done);
    }
}

static void serve(int request) {
    unsigned seen = atomic_load(&ready);
    if (request == 'a' && seen == 1) {
        pthread_mutex_lock(&m[0]);
        pthread_mutex_unlock(&m[0]);
    }
    sem_post(&go);
    sem_wait(&done);
}

int main(int argc, char **argv) {
    pthread_t thread;
    unsigned char request;
    sem_init(&go, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
#ifdef ROUNDS
    request = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--)
        serve(rounds == 7 ? 'a' : 0);
#else
    (void)argv;
    while (read(0, &request, 1) == 1) {
        serve(request);
        request = 0;
    }
#endif
    stop = 1;
    sem_post(&go);
    pthread_join(thread, NULL);
    return argc < 0;
}
