// Two descriptors that append to one file: nothing is lost, in whichever order.
// count(dpor)=2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int fds[2];

static void *append(void *p)
{
    long i = (long)p;
    write(fds[i], i ? "bb" : "aa", 2);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    char text[8] = "";
    for (int i = 0; i < 2; i++)
        fds[i] = open("log", O_RDWR | O_CREAT | O_APPEND, 0600);
    pthread_create(&a, NULL, append, (void *)0);
    pthread_create(&b, NULL, append, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(pread(fds[0], text, 7, 0) == 4);
    assert(!strcmp(text, "aabb") || !strcmp(text, "bbaa"));
    return 0;
}
