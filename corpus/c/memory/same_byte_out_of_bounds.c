// Two threads write to the same byte behind an array. Neither write happens, so they do not race.
// variant: --visibility sync
// variant: --visibility memory
#include <pthread.h>

static char three[3];

static void *write_last(void *unused)
{
    three[3] = 1; // expect: memory.out-of-bounds
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, write_last, NULL);
    pthread_create(&second, NULL, write_last, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
