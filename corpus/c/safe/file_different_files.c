// Threads that use different files do not disturb each other: only opening takes turns.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int fds[2];

static void *fill(void *p)
{
    int fd = fds[(long)p];
    for (int i = 0; i < 3; i++)
        assert(write(fd, "abc", 3) == 3);
    assert(lseek(fd, 0, SEEK_CUR) == 9);
    return NULL;
}

// count(dpor)=1
int main(void)
{
    pthread_t a, b;
    fds[0] = open("one", O_WRONLY | O_CREAT, 0600);
    fds[1] = open("two", O_WRONLY | O_CREAT, 0600);
    pthread_create(&a, NULL, fill, (void *)0);
    pthread_create(&b, NULL, fill, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
