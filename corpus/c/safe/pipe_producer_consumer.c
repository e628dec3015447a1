// Three numbers go through a pipe; the reader stops at its end.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *produce(void *p)
{
    for (int i = 1; i <= 3; i++)
        write(ends[1], &i, sizeof i);
    close(ends[1]);
    return p;
}

int main(void)
{
    pthread_t t;
    int number, sum = 0;
    pipe(ends);
    pthread_create(&t, NULL, produce, NULL);
    while (read(ends[0], &number, sizeof number) == sizeof number)
        sum += number;
    pthread_join(t, NULL);
    assert(sum == 6);
    return 0;
}
