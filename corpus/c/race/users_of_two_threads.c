// POSIX lets getpwuid return a pointer into memory that the next call overwrites.
#include <pthread.h>
#include <pwd.h>
// expect-anywhere: data-race

static void *looks(void *unused)
{
    return getpwuid(1000) ? unused : 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, looks, 0);
    looks(0);
    pthread_join(thread, 0);
    return 0;
}
