// Two streams, locked in opposite orders.
#include <pthread.h>
#include <stdio.h>

static FILE *one, *two;

static void *other(void *p)
{
    flockfile(two);
    fputs("other\n", one); // expect: deadlock
    funlockfile(two);
    return p;
}

int main(void)
{
    pthread_t t;
    one = fopen("one", "w");
    two = fopen("two", "w");
    pthread_create(&t, NULL, other, NULL);
    flockfile(one);
    fputs("main\n", two); // expect: deadlock
    funlockfile(one);
    pthread_join(t, NULL);
    return 0;
}
