// Each call locks the stream, but another thread may come between two of them.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *out;

static void *put(void *p)
{
    fputs(p, out);
    fputc('.', out);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    out = fopen("records", "w+");
    pthread_create(&a, NULL, put, "a");
    pthread_create(&b, NULL, put, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    fseek(out, 1, SEEK_SET);
    assert(fgetc(out) == '.'); // expect: assertion
    return 0;
}
