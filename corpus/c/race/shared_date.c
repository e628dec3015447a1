// localtime has one object for all its callers; localtime_r has none.
#include <pthread.h>
#include <time.h>

// expect-anywhere: data-race

static void *ask(void *unused)
{
    time_t now = 86400;
    struct tm *date = localtime(&now);
    return date->tm_mday == 2 ? unused : 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, ask, 0);
    pthread_create(&two, 0, ask, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
