// A byte in a pipe is a lock: who has it may go on. The token is given on once by each thread.
// count(dpor)=2
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int counter;

static void *work(void *p)
{
    char token;
    read(ends[0], &token, 1);
    counter++;
    write(ends[1], &token, 1);
    return p;
}

int main(void)
{
    pthread_t a, b;
    pipe(ends);
    write(ends[1], "t", 1);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
