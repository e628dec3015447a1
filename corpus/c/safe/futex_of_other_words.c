// What a wait returns: 0 if it was woken, EAGAIN if the word has another value, ETIMEDOUT.
// Who waits on another word is not woken.
// options: --spurious-wakeups off
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word, other;

static void *wait_for_it(void *unused)
{
    while (word == 0)
        assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0) == 0 || errno == EAGAIN);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, wait_for_it, 0);
    assert(syscall(SYS_futex, &other, FUTEX_WAKE, INT_MAX) == 0);
    assert(syscall(SYS_futex, &other, FUTEX_WAIT, 1, 0) == -1 && errno == EAGAIN);
    struct timespec end = {1, 0};
    assert(syscall(SYS_futex, &other, FUTEX_WAIT, 0, &end) == -1 && errno == ETIMEDOUT);
    word = 1;
    long woken = syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX);
    assert(woken == 0 || woken == 1);
    pthread_join(thread, 0);
}
