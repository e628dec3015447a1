// A counter in a file, read and written back without a lock.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int fd;

static void *increment(void *p)
{
    int n;
    pread(fd, &n, sizeof n, 0);
    n++;
    pwrite(fd, &n, sizeof n, 0);
    return p;
}

int main(void)
{
    pthread_t a, b;
    int n = 0;
    fd = open("counter", O_RDWR | O_CREAT, 0600);
    write(fd, &n, sizeof n);
    pthread_create(&a, NULL, increment, NULL);
    pthread_create(&b, NULL, increment, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pread(fd, &n, sizeof n, 0);
    assert(n == 2); // expect: assertion
    return 0;
}
