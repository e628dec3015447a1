// Two threads open a log each by itself and write at the same place.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *record(void *p)
{
    int fd = open("log", O_WRONLY | O_CREAT, 0600);
    write(fd, "line\n", 5);
    close(fd);
    return p;
}

int main(void)
{
    pthread_t a, b;
    struct stat status;
    pthread_create(&a, NULL, record, NULL);
    pthread_create(&b, NULL, record, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    stat("log", &status);
    assert(status.st_size == 10); // expect: assertion
    return 0;
}
