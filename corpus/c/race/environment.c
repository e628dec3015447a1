// POSIX does not ask that setenv be safe beside getenv.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

// expect-anywhere: data-race

static void *set(void *unused)
{
    setenv("LEVEL", "3", 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    char *level = getenv("LEVEL");
    pthread_join(thread, 0);
    return level ? level[0] - '3' : 0;
}
