// A handler interrupts a read of a timer, and one of an event counter.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void handle(int number) { (void)number; }

static void *wait_for_it(void *unused)
{
    struct itimerspec time = {{0, 0}, {1, 0}};
    struct stat status;
    uint64_t value;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0), event = eventfd(1, 0);
    assert(fstat(timer, &status) == 0 && (status.st_mode & S_IFMT) == 0);
    timerfd_settime(timer, 0, &time, 0);
    ssize_t count = read(timer, &value, 8);
    assert(count == 8 || errno == EINTR);
    count = read(event, &value, 8);
    assert(count == 8 || errno == EINTR);
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle};
    pthread_t thread;
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&thread, 0, wait_for_it, 0);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, 0);
    return 0;
}
