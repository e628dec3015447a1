// The sums of all subsets of the additions can be read, also those of later ones alone.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;

static void *adder(void *arg) {
    n += (int)(long)arg;
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, adder, (void *)(1L << i));
    assert(n != 5); // expect: assertion
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(n == 7);
    return 0;
}
