// Random bytes from the system: each thread gets its own, as many as it asks for.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *ask(void *result)
{
    unsigned char bytes[11] = {0};
    assert(getrandom(bytes, 11, 0) == 11);
    memcpy(result, bytes, 8);
    assert(getentropy(bytes, 257) == -1);
    return 0;
}

int main(void)
{
    pthread_t thread;
    unsigned long a, b, c;
    pthread_create(&thread, 0, ask, &a);
    ask(&b);
    pthread_join(thread, 0);
    assert(syscall(SYS_getrandom, &c, sizeof c, 0) == 8);
    assert(a != b && b != c);
    return 0;
}
