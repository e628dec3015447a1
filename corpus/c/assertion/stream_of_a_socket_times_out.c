// Reading by a stream from a socket with a time-out may fail, and the clock says then that the time is over.
#include <assert.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

int main(void)
{
    int ends[2];
    struct timeval nine = {9, 0};
    struct timespec before, after;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &nine, sizeof nine);
    FILE *stream = fdopen(ends[0], "r");
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(fgetc(stream) == EOF && ferror(stream));
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec - before.tv_sec < 9); // expect: assertion
    return 0;
}
