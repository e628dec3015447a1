// The buffer is changed while the other thread may still be writing it.
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static char buffer[4] = "abc";

static void *send(void *p)
{
    write(ends[1], buffer, 4); // expect: data-race
    return p;
}

int main(void)
{
    pthread_t t;
    pipe(ends);
    pthread_create(&t, NULL, send, NULL);
    buffer[0] = 'x'; // expect: data-race
    pthread_join(t, NULL);
    return 0;
}
