// memcpy of a whole structure races with a write of its last field.
#include <pthread.h>
#include <string.h>

static struct {
    long first, second;
    char last;
} source, target;

static void *set_last(void *unused)
{
    source.last = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set_last, 0);
    memcpy(&target, &source, sizeof target); // expect: data-race
    pthread_join(thread, 0);
    return 0;
}
