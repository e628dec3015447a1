// A worker opens files by the names that it is given. Main waits for its last word, not for its end.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, done = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static char *name;
static int closed, working = 1;

static void *worker(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&queue);
        while (!name && !closed)
            pthread_cond_wait(&filled, &queue);
        char *mine = name;
        name = 0;
        pthread_mutex_unlock(&queue);
        if (!mine)
            break;
        open(mine, O_RDONLY);
        free(mine);
    }
    pthread_mutex_lock(&done);
    working = 0;
    pthread_mutex_unlock(&done);
    pthread_cond_signal(&finished);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&queue);
    name = strdup("missing");
    pthread_mutex_unlock(&queue);
    pthread_cond_signal(&filled);
    pthread_mutex_lock(&queue);
    closed = 1;
    pthread_mutex_unlock(&queue);
    pthread_cond_broadcast(&filled);
    pthread_mutex_lock(&done);
    while (working)
        pthread_cond_wait(&finished, &done);
    pthread_mutex_unlock(&done);
    return 0;
}
