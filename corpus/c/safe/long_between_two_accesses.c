// Between two accesses to a variable that no other thread uses are many instructions; no step is too long.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int rounds, other;

static void *work(void *unused)
{
    other = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    volatile unsigned sum = 0;
    pthread_create(&thread, 0, work, 0);
    rounds = 0;
    for (int i = 0; i < 30; i++) {
        rounds++;
        for (unsigned k = 0; k < 1000000; k++)
            sum += k;
    }
    other = 2;
    pthread_join(thread, 0);
    return 0;
}
