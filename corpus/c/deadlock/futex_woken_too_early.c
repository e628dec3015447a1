// The waker does not change the word: if it comes first, the waiter sleeps for ever.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *wake(void *unused)
{
    syscall(SYS_futex, &word, FUTEX_WAKE, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, wake, 0);
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0); // expect: deadlock
    pthread_join(thread, 0);
}
