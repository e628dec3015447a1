// Both sides use FUTEX_PRIVATE_FLAG. Times that are none are refused.
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;

static void *set(void *unused)
{
    word = 1;
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
    return unused;
}

int main(void)
{
    struct timespec negative = {-1, 0}, long_second = {0, 1000000000};
    assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &negative) == -1 && errno == EINVAL);
    assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &long_second) == -1 && errno == EINVAL);
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0);
    pthread_join(thread, 0);
}
