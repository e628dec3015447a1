// Both wait for one event, and the counter gives all of it to the first.
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int ready;

static void *wait(void *p)
{
    uint64_t count;
    read(ready, &count, sizeof count); // expect: deadlock
    return p;
}

int main(void)
{
    pthread_t a, b;
    uint64_t two = 2;
    ready = eventfd(0, 0);
    pthread_create(&a, NULL, wait, NULL);
    pthread_create(&b, NULL, wait, NULL);
    write(ready, &two, sizeof two);
    pthread_join(a, NULL); // expect: deadlock
    pthread_join(b, NULL); // expect: deadlock
    return 0;
}
