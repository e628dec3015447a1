// The detach state of a running thread may change at any time.
// unknown: the detach state in attributes of a thread
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static void *work(void *unused) { return unused; }

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    int state;
    pthread_create(&thread, 0, work, 0);
    pthread_getattr_np(thread, &attributes);
    pthread_join(thread, 0);
    pthread_attr_getdetachstate(&attributes, &state);
    assert(state == PTHREAD_CREATE_DETACHED);
    return 0;
}
