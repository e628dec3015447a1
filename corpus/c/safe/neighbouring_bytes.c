// Different bytes of one word are different objects: no race.
// count(dpor)=1
// count(dpor,memory)=1
#include <assert.h>
#include <pthread.h>

static char bytes[8];

static void *fill(void *place)
{
    char *at = place;
    at[0] = 1;
    at[2] = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, fill, &bytes[0]);
    fill(&bytes[1]);
    pthread_join(thread, 0);
    assert(bytes[0] + bytes[1] + bytes[2] + bytes[3] == 4);
    return 0;
}
