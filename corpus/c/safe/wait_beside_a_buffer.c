// A function that waits has a buffer for a message, which the library fills and prints. Nobody else has its address, so the
// states in which its threads wait again are known ones.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;

static void checked_wait(void)
{
    char text[64];
    int error = pthread_cond_wait(&c, &m);
    if (error) {
        snprintf(text, sizeof text, "error %d", error);
        puts(text);
        fputs(text, stderr);
    }
}

static void *waits(void *arg)
{
    pthread_mutex_lock(&m);
    while (!done)
        checked_wait();
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, waits, 0);
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
