// A wakeup with FUTEX_PRIVATE_FLAG does not reach a thread that waits without it, and the other way round.
// variant: -DWAIT=FUTEX_WAIT -DWAKE=FUTEX_WAKE_PRIVATE
// variant: -DWAIT=FUTEX_WAIT_PRIVATE -DWAKE=FUTEX_WAKE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *set(void *unused)
{
    word = 1;
    syscall(SYS_futex, &word, WAKE, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    syscall(SYS_futex, &word, WAIT, 0, 0); // expect: deadlock
    pthread_join(thread, 0);
}
