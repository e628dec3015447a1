// The distance of a local from null is its address, which another thread computes back.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
static ptrdiff_t distance;
static void *change(void *unused)
{
    int *found = (int *)(intptr_t)-distance;
    *found = 1; // expect: data-race
    return unused;
}
static ptrdiff_t between(char *from, int none)
{
    char *to = from;
    if (none)
        to = NULL;
    return to - from;
}
int main(int argc, char **argv)
{
    pthread_t t;
    int local = 0;
    (void)argv;
    distance = between((char *)&local, argc == 1);
    pthread_create(&t, NULL, change, NULL);
    int seen = local;
    pthread_join(t, NULL);
    return seen;
}
