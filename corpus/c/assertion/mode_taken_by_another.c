// A thread takes away the permission to read a file; whether another one opens it before decides.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *takes(void *p)
{
    chmod("f", 0);
    return p;
}

int main(void)
{
    pthread_t t;
    int fd = open("f", O_CREAT | O_RDWR, 0600);
    close(fd);
    pthread_create(&t, 0, takes, 0);
    int again = open("f", O_RDONLY);
    assert(again >= 0); // expect: assertion
    pthread_join(t, 0);
    return 0;
}
