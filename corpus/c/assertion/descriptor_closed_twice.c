// The second close of a number may hit the file that another thread has just opened under it.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int shared;

static void *other(void *p)
{
    int mine = open("mine", O_WRONLY | O_CREAT, 0600);
    assert(write(mine, "x", 1) == 1); // expect: assertion
    return p;
}

int main(void)
{
    pthread_t t;
    shared = open("shared", O_WRONLY | O_CREAT, 0600);
    pthread_create(&t, NULL, other, NULL);
    close(shared);
    close(shared);
    pthread_join(t, NULL);
    return 0;
}
