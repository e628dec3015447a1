// A block travels through a pipe: meanwhile only the bytes in the pipe say where it is.
// options: --property memory,leak,cleanup
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void *receive(void *unused)
{
    char *text;
    if (read(ends[0], &text, sizeof text) == sizeof text)
        free(text);
    return unused;
}

int main(void)
{
    pthread_t receiver;
    if (pipe(ends))
        return 1;
    pthread_create(&receiver, 0, receive, 0);
    char *text = malloc(10);
    write(ends[1], &text, sizeof text);
    text = 0;
    pthread_join(receiver, 0);
    return 0;
}
