// The address of a local is found by comparisons alone, and another thread writes there.
#include <pthread.h>
#include <stdint.h>
static uintptr_t found;
static void *change(void *unused)
{
    *(int *)found = 1; // expect: data-race
    return unused;
}
static uintptr_t search(char *from, int guesses)
{
    uintptr_t below = 0;
    for (int bit = 46; bit >= 0; bit--) {
        char *guess = from;
        if (guesses)
            guess = (char *)(below | (uintptr_t)1 << bit);
        if (guess <= from)
            below |= (uintptr_t)1 << bit;
    }
    return below;
}
int main(int argc, char **argv)
{
    pthread_t t;
    int local = 0;
    (void)argv;
    found = search((char *)&local, argc == 1);
    pthread_create(&t, 0, change, 0);
    int seen = local;
    pthread_join(t, 0);
    return seen;
}
