// A record of two parts stays together if the stream is locked for it.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static FILE *out;

static void *put(void *p)
{
    flockfile(out);
    fputs(p, out);
    fputc('.', out);
    funlockfile(out);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    char text[8];
    out = fopen("records", "w+");
    pthread_create(&a, NULL, put, "a");
    pthread_create(&b, NULL, put, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    rewind(out);
    assert(fgets(text, sizeof text, out));
    assert(!strcmp(text, "a.b.") || !strcmp(text, "b.a."));
    fclose(out);
    return 0;
}
