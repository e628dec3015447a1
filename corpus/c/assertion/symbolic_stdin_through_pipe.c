// What comes from standard input goes through a pipe to another thread, and is what it was.
// options: --symbolic-stdin 2
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *feed(void *p)
{
    char text[2];
    write(ends[1], text, read(0, text, 2));
    close(ends[1]);
    return p;
}

int main(void)
{
    pthread_t t;
    int c, previous = 0;
    pipe(ends);
    pthread_create(&t, NULL, feed, NULL);
    FILE *in = fdopen(ends[0], "r");
    while ((c = fgetc(in)) != EOF) {
        assert(!(previous == 'o' && c == 'k')); // expect: assertion
        previous = c;
    }
    pthread_join(t, NULL);
    return 0;
}
