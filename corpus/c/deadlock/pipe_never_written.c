// Both threads read first.
#include <pthread.h>
#include <unistd.h>

static int one[2], two[2];

static void *other(void *p)
{
    char byte;
    read(one[0], &byte, 1);
    write(two[1], "x", 1);
    return p;
}

int main(void)
{
    pthread_t t;
    char byte;
    pipe(one);
    pipe(two);
    pthread_create(&t, NULL, other, NULL);
    read(two[0], &byte, 1); // expect: deadlock
    write(one[1], "x", 1);
    pthread_join(t, NULL);
    return 0;
}
