// A wakeup that comes before the wait is lost, and the word changes only afterwards. The wait fails at once in other orders.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *change(void *unused)
{
    atomic_fetch_add(&word, 1);
    return unused;
}

static void *wake(void *unused)
{
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, change, 0);
    pthread_create(&threads[1], 0, wake, 0);
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0); // expect: deadlock
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
