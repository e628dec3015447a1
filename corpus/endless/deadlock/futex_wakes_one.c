// Two threads wait on one word, each for a flag of its own. A wakeup of one thread may wake the other one. Linux takes a negative number for one.
// variant: -DCOUNT=1
// variant: -DCOUNT=-1
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
        syscall(SYS_futex, &word, FUTEX_WAIT, seen, 0); // expect: deadlock
    }
}

static void set(int i)
{
    flags[i] = 1;
    word++;
    syscall(SYS_futex, &word, FUTEX_WAKE, COUNT);
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, await, &flags[i]);
    set(0);
    pthread_join(threads[0], 0); // expect: deadlock
    set(1);
    pthread_join(threads[1], 0);
}
