// Event counters in one thread: values, semaphores, errors, readiness.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void get(int fd)
{
    uint64_t value = 77;
    errno = 0;
    long got = read(fd, &value, sizeof value);
    printf("read %ld %llu %d\n", got, (unsigned long long)value, errno);
}

static void put(int fd, uint64_t value)
{
    errno = 0;
    long put = write(fd, &value, sizeof value);
    printf("write %ld %d\n", put, errno);
}

static void look(int fd)
{
    struct pollfd one = {fd, POLLIN | POLLOUT, 0};
    int ready = poll(&one, 1, 0);
    printf("poll %d %#x\n", ready, one.revents);
}

int main(void)
{
    int counter = eventfd(3, EFD_NONBLOCK);
    printf("made %d\n", counter >= 0);
    look(counter);
    get(counter);
    look(counter);
    get(counter);
    put(counter, 0);
    get(counter);
    put(counter, 5);
    put(counter, 1000000000000ULL);
    get(counter);

    // The largest value, and one too many.
    put(counter, UINT64_MAX);
    put(counter, UINT64_MAX - 1);
    look(counter);
    put(counter, 0);
    put(counter, 1);
    get(counter);
    put(counter, 1);

    // A semaphore gives 1 at a time.
    int semaphore = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
    get(semaphore);
    get(semaphore);
    get(semaphore);
    put(semaphore, 2);
    int other = dup(semaphore);
    get(other);
    close(semaphore);
    get(other);
    get(other);

    // Sizes.
    char bytes[16] = {1};
    errno = 0;
    printf("%ld", (long)read(counter, bytes, 7));
    printf(" %d\n", errno);
    errno = 0;
    printf("%ld", (long)write(counter, bytes, 4));
    printf(" %d\n", errno);
    printf("%ld\n", (long)read(counter, bytes, 16));
    printf("%d\n", bytes[0]);
    printf("%ld\n", (long)write(counter, bytes, 8));
    get(counter);
    errno = 0;
    printf("%ld", (long)pread(counter, bytes, 8, 0));
    printf(" %d\n", errno);
    errno = 0;
    printf("%d", eventfd(0, 0x40));
    printf(" %d\n", errno);
    printf("%#x\n", fcntl(counter, F_GETFL));
    put(counter, 1);
    return 0;
}
