// A plain store to a futex word races with the wait's look at it.
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

static void *set(void *unused)
{
    word = 1; // expect: data-race
    syscall(SYS_futex, &word, FUTEX_WAKE, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0); // expect: data-race
    pthread_join(thread, 0);
}
