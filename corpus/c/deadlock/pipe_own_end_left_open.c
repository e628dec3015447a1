// The reader waits for the end of a pipe whose second writing descriptor it has itself.
#include <pthread.h>
#include <unistd.h>

static int writer;

static void *send(void *p)
{
    write(writer, "x", 1);
    close(writer);
    return p;
}

int main(void)
{
    pthread_t t;
    int ends[2];
    char byte;
    pipe(ends);
    writer = dup(ends[1]);
    pthread_create(&t, NULL, send, NULL);
    while (read(ends[0], &byte, 1) > 0) // expect: deadlock
        ;
    pthread_join(t, NULL);
    return 0;
}
