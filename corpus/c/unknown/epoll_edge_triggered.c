// unknown: epoll_ctl with the events 0x80000001
#include <sys/epoll.h>
#include <sys/eventfd.h>

int main(void)
{
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    return epoll_ctl(set, EPOLL_CTL_ADD, eventfd(0, 0), &event);
}
