// What was written before a byte went into the pipe may be read by who has taken it out.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int data;

static void *publish(void *p)
{
    data = 42;
    write(ends[1], "!", 1);
    return p;
}

int main(void)
{
    pthread_t t;
    char byte;
    pipe(ends);
    pthread_create(&t, NULL, publish, NULL);
    read(ends[0], &byte, 1);
    assert(data == 42);
    data = 0;
    pthread_join(t, NULL);
    return 0;
}
