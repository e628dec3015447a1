// memcpy copies word by word: a second thread sees the first word new and the last one old.
// options: --property assertion --visibility memory
#include <assert.h>
#include <pthread.h>
#include <string.h>

static long source[2] = {1, 1}, target[2];

static void *copy(void *unused)
{
    memcpy(target, source, sizeof target);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, copy, 0);
    long last = target[1], first = target[0];
    assert(first == last); // expect: assertion
    pthread_join(thread, 0);
    return 0;
}
