// A directory as a lock: of several threads that make it, one succeeds. Directories order nothing, so a mutex does that.
#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, entered;

static void *enter(void *unused)
{
    if (mkdir("lock", 0700) == 0)
    {
        pthread_mutex_lock(&lock);
        assert(++inside == 1);
        entered++;
        inside--;
        pthread_mutex_unlock(&lock);
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
    assert(entered >= 1);
    assert(opendir("lock") == NULL);
    return 0;
}
