// A file that only one thread can create is a lock.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *try_it(void *p)
{
    *(int *)p = open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x, y;
    pthread_create(&a, NULL, try_it, &x);
    pthread_create(&b, NULL, try_it, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert((x >= 0) != (y >= 0));
    assert(unlink("lock") == 0 && access("lock", F_OK) < 0);
    return 0;
}
