// The address of errno is given to another thread, which looks at it while a call may set it.
// unknown: keeps the address of errno
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static int *of_main, seen;

static void *look(void *unused)
{
    (void)unused;
    seen = *of_main;
    return 0;
}

int main(void)
{
    pthread_t thread;
    errno = 0;
    of_main = &errno;
    pthread_create(&thread, 0, look, 0);
    close(99);
    pthread_join(thread, 0);
    assert(seen != 0);
    return 0;
}
