// What is written to a stream is read in the same elements by each machine: schedules of one lead the others to the race behind it.
// variant: --visibility sync
// variant: --visibility memory
#include <pthread.h>
#include <stdio.h>

static char text[8] = "abc";
static int x;

static void *work(void *unused)
{
    fwrite(text, 1, 8, stdout);
    x = 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    x = 2; // expect: data-race
    pthread_join(thread, 0);
    return 0;
}
