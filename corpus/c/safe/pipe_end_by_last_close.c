// The end of a pipe comes when the last of its writing descriptors is closed.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *write_and_close(void *p)
{
    int fd = (int)(long)p;
    write(fd, "x", 1);
    close(fd);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    char bytes[4];
    long n, total = 0;
    pipe(ends);
    int copy = dup(ends[1]);
    pthread_create(&a, NULL, write_and_close, (void *)(long)ends[1]);
    pthread_create(&b, NULL, write_and_close, (void *)(long)copy);
    while ((n = read(ends[0], bytes, sizeof bytes)) > 0)
        total += n;
    assert(n == 0 && total == 2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
