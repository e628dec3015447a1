// Whoever sleeps in a read sleeps on when the pipe becomes one that does not wait.
// unknown: a change of O_NONBLOCK while another thread is in an operation that can wait
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *receive(void *unused)
{
    char byte;
    read(ends[0], &byte, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, 0, receive, 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pthread_join(thread, 0);
    return 0;
}
