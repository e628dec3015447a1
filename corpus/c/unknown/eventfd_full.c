// unknown: waiting for room in an event counter
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int main(void)
{
    uint64_t most = UINT64_MAX - 1, one = 1;
    int fd = eventfd(0, 0);
    write(fd, &most, sizeof most);
    return write(fd, &one, sizeof one) != sizeof one;
}
