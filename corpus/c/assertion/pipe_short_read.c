// A read gets what is there, which may be the first of two writes only.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send(void *p)
{
    write(ends[1], "ab", 2);
    write(ends[1], "cd", 2);
    return p;
}

int main(void)
{
    pthread_t t;
    char text[4];
    pipe(ends);
    pthread_create(&t, NULL, send, NULL);
    assert(read(ends[0], text, 4) == 4); // expect: assertion
    pthread_join(t, NULL);
    return 0;
}
