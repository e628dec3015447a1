// A lock belongs to the open file, which both threads use: it excludes nobody.
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static int fd, counter;

static void *add(void *unused)
{
    flock(fd, LOCK_EX);
    counter++; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t a, b;
    fd = open("lock", O_RDWR | O_CREAT, 0600);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
