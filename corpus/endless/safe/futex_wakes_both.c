// Two threads wait on one word, each for a flag of its own. Each wakeup wakes all that wait at that moment: who waits again is not woken twice,
// in the turn of the other one.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, flags[2];

static void *await(void *flag)
{
    for (;;) {
        int seen = word;
        if (atomic_load((atomic_int *)flag))
            return 0;
        syscall(SYS_futex, &word, FUTEX_WAIT, seen, 0);
    }
}

static void set(int i)
{
    flags[i] = 1;
    word++;
    syscall(SYS_futex, &word, FUTEX_WAKE, 2);
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, await, &flags[i]);
    set(0);
    pthread_join(threads[0], 0);
    set(1);
    pthread_join(threads[1], 0);
}
