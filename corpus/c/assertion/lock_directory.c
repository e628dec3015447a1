// A directory as a lock that is first looked for, then made.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static void *enter(void *unused)
{
    struct stat status;
    if (stat("lock", &status) != 0)
        assert(mkdir("lock", 0700) == 0); // expect: assertion
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
