// memcmp compares all bytes it is given: those behind the first difference, too.
// variant: --visibility sync
// variant: --visibility memory
#include <pthread.h>
#include <string.h>

static char one[24] = "a", other[24] = "b";

static void *work(void *unused)
{
    return memcmp(one, other, sizeof one) ? unused : 0; // expect: data-race
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    other[20] = 'x'; // expect: data-race
    pthread_join(thread, 0);
    return 0;
}
