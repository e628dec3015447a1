// A semaphore of one unit excludes.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int unit, counter;

static void *add(void *p)
{
    uint64_t one;
    read(unit, &one, sizeof one);
    counter++;
    write(unit, &one, sizeof one);
    return p;
}

int main(void)
{
    pthread_t a, b;
    unit = eventfd(1, EFD_SEMAPHORE);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
