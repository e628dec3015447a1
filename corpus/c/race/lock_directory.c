// Who makes the directory has the lock. But the file system orders nothing for the memory of threads.
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static int entered;

static void *enter(void *unused)
{
    if (mkdir("lock", 0700) == 0)
    {
        entered++; // expect: data-race
        rmdir("lock");
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, enter, NULL);
    pthread_create(&b, NULL, enter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
