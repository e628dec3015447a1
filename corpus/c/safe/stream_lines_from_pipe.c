// Lines arrive whole, however the writer cuts them into pieces.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void *send(void *p)
{
    write(ends[1], "on", 2);
    write(ends[1], "e\ntwo\n", 6);
    close(ends[1]);
    return p;
}

int main(void)
{
    pthread_t t;
    char line[16];
    pipe(ends);
    FILE *in = fdopen(ends[0], "r");
    pthread_create(&t, NULL, send, NULL);
    assert(fgets(line, sizeof line, in) && !strcmp(line, "one\n"));
    assert(fgets(line, sizeof line, in) && !strcmp(line, "two\n"));
    assert(!fgets(line, sizeof line, in) && feof(in) && !ferror(in));
    pthread_join(t, NULL);
    assert(fclose(in) == 0);
    return 0;
}
