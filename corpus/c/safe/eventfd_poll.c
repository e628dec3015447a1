// An event loop that two threads wake.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int wake[2];

static void *send(void *p)
{
    uint64_t one = 1;
    write(wake[(long)p], &one, sizeof one);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int got = 0;
    for (long i = 0; i < 2; i++) {
        wake[i] = eventfd(0, 0);
        pthread_create(&threads[i], NULL, send, (void *)i);
    }
    while (got < 2) {
        struct pollfd fds[2] = {{wake[0], POLLIN, 0}, {wake[1], POLLIN, 0}};
        int ready = poll(fds, 2, -1);
        assert(ready >= 1);
        for (int i = 0; i < 2; i++)
            if (fds[i].revents & POLLIN) {
                uint64_t count;
                assert(read(wake[i], &count, sizeof count) == sizeof count && count == 1);
                got++;
            }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
