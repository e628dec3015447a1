// A loop that waits for a word: a wait that ends for no reason leads back to where it was.
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *waits(void *unused)
{
    while (atomic_load(&word) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, (void *)0, (void *)0, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, waits, 0);
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, (void *)0, (void *)0, 0);
    pthread_join(thread, 0);
    return 0;
}
