// What is only in the buffer never arrives.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *answer(void *p)
{
    char byte;
    read(ends[0], &byte, 1);
    return p;
}

int main(void)
{
    pthread_t t;
    pipe(ends);
    FILE *out = fdopen(ends[1], "w");
    pthread_create(&t, NULL, answer, NULL);
    fputs("question\n", out);
    pthread_join(t, NULL);
    return 0;
}
// expect-anywhere: deadlock
