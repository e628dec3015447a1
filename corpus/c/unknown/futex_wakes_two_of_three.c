// Which two of three threads are woken would be a choice of one action.
// unknown: several of still more threads
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, waiting;

static void *await(void *unused)
{
    waiting++;
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, await, 0);
    if (waiting == 3) {
        word = 1;
        syscall(SYS_futex, &word, FUTEX_WAKE, 2);
        syscall(SYS_futex, &word, FUTEX_WAKE, 2);
    } else {
        word = 1;
        syscall(SYS_futex, &word, FUTEX_WAKE, 3);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
