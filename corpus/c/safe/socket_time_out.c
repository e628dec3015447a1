// A socket with a time-out: a read may fail with EAGAIN, and the clock then says that the time is over; or it gets what comes. What accepts
// has the time-out of the listening socket. Nobody waits for ever.
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void *late(void *unused)
{
    assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void)
{
    struct timeval two = {2, 0}, none = {0, 0}, bad = {0, 1000000};
    struct timespec before, after;
    pthread_t thread;
    char c = 0;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    assert(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &bad, sizeof bad) == -1 && errno == EDOM);
    assert(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &two, 8) == -1 && errno == EINVAL);
    assert(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &two, sizeof two) == 0);
    pthread_create(&thread, NULL, late, NULL);
    clock_gettime(CLOCK_MONOTONIC, &before);
    ssize_t got = recv(ends[0], &c, 1, 0);
    int error = errno;
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(got == 1 ? c == 'x' : got == -1 && error == EAGAIN && after.tv_sec >= before.tv_sec + 2);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    if (got < 0)
        assert(read(ends[0], &c, 1) == 1 && c == 'x');
    pthread_join(thread, NULL);

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(8080), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &two, sizeof two);
    assert(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 1) == 0);
    assert(accept(listener, NULL, NULL) == -1 && errno == EAGAIN);
    assert(connect(client, (struct sockaddr *)&address, sizeof address) == 0);
    int accepted = accept(listener, NULL, NULL);
    assert(accepted >= 0 && recv(accepted, &c, 1, 0) == -1 && errno == EAGAIN);
    return 0;
}
