// Nobody reads what does not fit into the pipe any more.
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static char block[65536];

static void *send(void *p)
{
    write(ends[1], block, sizeof block);
    write(ends[1], "x", 1); // expect: deadlock
    return p;
}

int main(void)
{
    pthread_t t;
    char byte;
    pipe(ends);
    pthread_create(&t, NULL, send, NULL);
    read(ends[0], &byte, 0);
    pthread_join(t, NULL); // expect: deadlock
    return 0;
}
