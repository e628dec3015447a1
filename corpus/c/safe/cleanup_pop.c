// pthread_cleanup_pop runs the handler or not, as told; in the reverse order of pushing.
#include <assert.h>
#include <pthread.h>

static int trace;

static void note(void *digit)
{
    trace = trace * 10 + *(int *)digit;
}

int main(void)
{
    static int one = 1, two = 2, three = 3;
    pthread_cleanup_push(note, &one);
    pthread_cleanup_push(note, &two);
    pthread_cleanup_push(note, &three);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
    assert(trace == 31);
    return 0;
}
