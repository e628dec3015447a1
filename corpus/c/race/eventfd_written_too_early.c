// The event comes before the data.
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int done, data;

static void *work(void *p)
{
    uint64_t one = 1;
    write(done, &one, sizeof one);
    data = 42; // expect: data-race
    return p;
}

int main(void)
{
    pthread_t t;
    uint64_t count;
    done = eventfd(0, 0);
    pthread_create(&t, NULL, work, NULL);
    read(done, &count, sizeof count);
    int seen = data; // expect: data-race
    pthread_join(t, NULL);
    return seen > 42;
}
