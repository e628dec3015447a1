// A regular file is no synchronisation, though the flag in it was seen.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int fd;
static int data;

static void *publish(void *p)
{
    data = 1; // expect: data-race
    pwrite(fd, "!", 1, 0);
    return p;
}

int main(void)
{
    pthread_t t;
    char byte;
    int seen = 0;
    fd = open("flag", O_RDWR | O_CREAT, 0600);
    pthread_create(&t, NULL, publish, NULL);
    if (pread(fd, &byte, 1, 0) == 1)
        seen = data; // expect: data-race
    pthread_join(t, NULL);
    return seen & 0;
}
