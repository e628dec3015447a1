// Each round of a loop has an action on a variable that no other thread uses: the jumps of a step are few.
// options: --unroll 5
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
    pthread_create(&thread, 0, work, 0);
    for (int i = 0; i < 20; i++)
        rounds++;
    other = 2;
    pthread_join(thread, 0);
    return 0;
}
