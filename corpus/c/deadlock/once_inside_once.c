// The routine of pthread_once calls pthread_once on the same control.
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void)
{
    pthread_once(&once, initialise); // expect: deadlock
}

int main(void)
{
    pthread_once(&once, initialise);
    return 0;
}
