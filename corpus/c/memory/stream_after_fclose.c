// The stream is closed by one thread while the other one still uses it.
#include <pthread.h>
#include <stdio.h>

static FILE *out;

static void *put(void *p)
{
    fputc('x', out); // expect: memory.use-after-free
    return p;
}

int main(void)
{
    pthread_t t;
    out = fopen("file", "w");
    pthread_create(&t, NULL, put, NULL);
    fclose(out);
    pthread_join(t, NULL);
    return 0;
}
