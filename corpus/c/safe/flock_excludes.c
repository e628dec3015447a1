// Each thread opens the file for itself, so their locks exclude each other, and order what the threads do.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static int counter;

static void *add(void *unused)
{
    int fd = open("lock", O_RDWR | O_CREAT, 0600);
    flock(fd, LOCK_EX);
    counter++;
    close(fd);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
