// Waits for descriptors refuse a time that is none, before they look at the descriptors.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void *wait_for_bytes(void *unused)
{
    (void)unused;
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    struct timespec long_part = {0, 1000000000}, negative = {0, -1}, before = {-1, 0};
    struct timeval past = {-1, 0}, below = {0, -1};

    assert(ppoll(0, 0, &long_part, 0) == -1 && errno == EINVAL);
    assert(ppoll(&one, 1, &negative, 0) == -1 && errno == EINVAL);
    assert(ppoll(&one, 1, &before, 0) == -1 && errno == EINVAL);
    assert(pselect(ends[0] + 1, &set, 0, 0, &long_part, 0) == -1 && errno == EINVAL);
    assert(pselect(ends[0] + 1, &set, 0, 0, &before, 0) == -1 && errno == EINVAL);
    assert(select(ends[0] + 1, &set, 0, 0, &past) == -1 && errno == EINVAL);
    assert(select(ends[0] + 1, &set, 0, 0, &below) == -1 && errno == EINVAL);
    assert(FD_ISSET(ends[0], &set));
    assert(poll(&one, 1, -1) == 1);
    return 0;
}

int main(void)
{
    assert(pipe(ends) == 0);
    pthread_t thread;
    pthread_create(&thread, 0, wait_for_bytes, 0);
    assert(write(ends[1], "x", 1) == 1);
    pthread_join(thread, 0);
    return 0;
}
