// Timers in one thread: errors, one-shot and periodic timers, absolute times, readiness.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void get(int fd)
{
    uint64_t value = 77;
    errno = 0;
    long got = read(fd, &value, sizeof value);
    printf("read %ld %llu %d\n", got, (unsigned long long)value, errno);
}

static void look(int fd, int time)
{
    struct pollfd one = {fd, POLLIN | POLLOUT, 0};
    int ready = poll(&one, 1, time);
    printf("poll %d %#x\n", ready, one.revents);
}

static int set(int fd, int flags, struct itimerspec spec)
{
    errno = 0;
    int result = timerfd_settime(fd, flags, &spec, NULL);
    printf("set %d %d\n", result, errno);
    return result;
}

static void show(int fd)
{
    struct itimerspec spec;
    memset(&spec, 0x55, sizeof spec);
    errno = 0;
    int result = timerfd_gettime(fd, &spec);
    printf("get %d %d", result, errno);
    if (result == 0)
        printf(" %d.%d", (int)spec.it_interval.tv_sec, (int)spec.it_interval.tv_nsec);
    // How much time is left is another number in each run.
    if (result == 0)
        printf(" %d %d", spec.it_value.tv_sec || spec.it_value.tv_nsec, spec.it_value.tv_sec <= 1000);
    puts("");
}

static struct itimerspec times(long period, long period_fraction, long time, long fraction)
{
    struct itimerspec spec = {{period, period_fraction}, {time, fraction}};
    return spec;
}

int main(void)
{
    errno = 0;
    printf("%d", timerfd_create(77, 0));
    printf(" %d\n", errno);
    errno = 0;
    printf("%d", timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0));
    printf(" %d\n", errno);
    errno = 0;
    printf("%d", timerfd_create(CLOCK_MONOTONIC, O_APPEND));
    printf(" %d\n", errno);

    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    printf("made %d\n", timer >= 0);
    get(timer);
    look(timer, 0);
    show(timer);

    // Errors of the times, and their order.
    set(timer, 0, times(0, 0, -1, 0));
    set(timer, 0, times(0, 0, 1, 1000000000));
    set(timer, 0, times(0, 0, 1, -1));
    set(timer, 0, times(-1, 0, 1, 0));
    set(timer, 0, times(0, 1000000000, 0, 0));
    set(timer, 4, times(0, 0, 1, 0));
    set(900, 0, times(0, 0, 0, 0));
    set(900, 0, times(0, 0, 0, -1));
    set(1, 0, times(0, 0, 0, 0));
    show(900);
    show(1);

    // Disarmed with a period.
    set(timer, 0, times(3, 7, 0, 0));
    show(timer);
    get(timer);

    // Armed for long.
    set(timer, 0, times(0, 0, 1000, 5));
    set(timer, 0, times(0, 0, INT64_MAX, 999999999));
    set(timer, 0, times(INT64_MAX, 0, 500, 999999999));
    struct itimerspec none = times(0, 0, 0, 0), old;
    printf("%d", timerfd_settime(timer, 0, &none, &old));
    printf(" %d %d\n", old.it_interval.tv_sec == INT64_MAX / 1000000000, (int)old.it_interval.tv_nsec);
    show(timer);
    get(timer);

    // A moment that has passed.
    set(timer, TFD_TIMER_ABSTIME, times(0, 0, 0, 1));
    look(timer, -1);
    look(timer, 0);
    show(timer);
    char bytes[16];
    errno = 0;
    printf("%ld", (long)read(timer, bytes, 7));
    printf(" %d\n", errno);
    printf("%ld\n", (long)read(timer, bytes, 16));
    printf("%d\n", bytes[0]);
    get(timer);
    look(timer, 0);
    show(timer);

    // A timer that is set anew has not expired.
    set(timer, TFD_TIMER_ABSTIME, times(0, 0, 0, 1));
    look(timer, -1);
    set(timer, 0, times(0, 0, 0, 0));
    look(timer, 0);
    get(timer);

    // One that is waited for, in each way.
    int waits = timerfd_create(CLOCK_REALTIME, 0);
    set(waits, 0, times(0, 0, 0, 1));
    get(waits);
    set(waits, 0, times(0, 0, 0, 1));
    look(waits, -1);
    get(waits);
    set(waits, 0, times(0, 0, 0, 1));
    fd_set set_of;
    FD_ZERO(&set_of);
    FD_SET(waits, &set_of);
    printf("%d %d\n", select(waits + 1, &set_of, NULL, NULL, NULL), FD_ISSET(waits, &set_of) != 0);
    get(waits);
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = 5};
    printf("%d\n", epoll_ctl(epoll, EPOLL_CTL_ADD, waits, &event));
    printf("%d\n", epoll_wait(epoll, &event, 1, 0));
    set(waits, 0, times(0, 0, 0, 1));
    memset(&event, 0, sizeof event);
    printf("%d", epoll_wait(epoll, &event, 1, -1));
    printf(" %u %u\n", event.events, event.data.u32);
    get(waits);
    printf("%d\n", epoll_wait(epoll, &event, 1, 0));

    // A periodic one.
    set(waits, 0, times(0, 1000000, 0, 1));
    for (int i = 0; i < 3; i++) {
        uint64_t count = 0;
        printf("%ld %d\n", (long)read(waits, &count, sizeof count), count >= 1);
    }
    set(waits, 0, times(0, 0, 0, 0));
    int other = dup(waits);
    set(other, 0, times(0, 0, 0, 1));
    look(waits, -1);
    close(waits);
    get(other);

    errno = 0;
    printf("%ld", (long)write(other, bytes, 8));
    printf(" %d\n", errno);
    errno = 0;
    printf("%ld", (long)pread(other, bytes, 8, 0));
    printf(" %d\n", errno);
    return 0;
}
