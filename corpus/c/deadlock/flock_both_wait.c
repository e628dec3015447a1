// Two threads lock two files in opposite orders.
// expect-anywhere: deadlock
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static void *lock(void *number)
{
    const char *names[2] = {"a", "b"};
    int first = open(names[(long)number], O_RDWR | O_CREAT, 0600), second = open(names[1 - (long)number], O_RDWR | O_CREAT, 0600);
    flock(first, LOCK_EX);
    flock(second, LOCK_EX);
    close(first);
    close(second);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, lock, (void *)0);
    pthread_create(&b, NULL, lock, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
