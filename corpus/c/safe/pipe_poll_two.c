// Poll waits for whichever of two pipes has something first.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int pipes[2][2];

static void *send(void *p)
{
    write(pipes[(long)p][1], "x", 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int got = 0;
    for (long i = 0; i < 2; i++) {
        pipe(pipes[i]);
        pthread_create(&threads[i], NULL, send, (void *)i);
    }
    while (got < 2) {
        struct pollfd fds[2] = {{pipes[0][0], POLLIN, 0}, {pipes[1][0], POLLIN, 0}};
        int ready = poll(fds, 2, -1);
        assert(ready >= 1);
        for (int i = 0; i < 2; i++)
            if (fds[i].revents & POLLIN) {
                char byte;
                assert(read(fds[i].fd, &byte, 1) == 1 && byte == 'x');
                got++;
            }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
