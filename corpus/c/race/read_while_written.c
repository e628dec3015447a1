// One writer, one reader, nothing between them.
#include <pthread.h>

static int value;

static void *write(void *unused)
{
    value = 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, write, 0);
    int seen = value;
    pthread_join(thread, 0);
    return seen & 0;
}
