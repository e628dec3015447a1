// errno belongs to the thread.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static void *overflow(void *unused)
{
    errno = 0;
    assert(strtol("99999999999999999999", 0, 10) > 0);
    assert(errno == ERANGE);
    return unused;
}

int main(void)
{
    pthread_t thread;
    errno = EINTR;
    pthread_create(&thread, 0, overflow, 0);
    assert(errno == EINTR);
    pthread_join(thread, 0);
    return 0;
}
