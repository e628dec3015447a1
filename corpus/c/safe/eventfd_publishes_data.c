// What was written before an event counter is seen by who has read it.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int done, data;

static void *work(void *p)
{
    uint64_t one = 1;
    data = 42;
    write(done, &one, sizeof one);
    return p;
}

int main(void)
{
    pthread_t t;
    uint64_t count;
    done = eventfd(0, 0);
    pthread_create(&t, NULL, work, NULL);
    assert(read(done, &count, sizeof count) == sizeof count && count == 1);
    assert(data == 42);
    pthread_join(t, NULL);
    return 0;
}
