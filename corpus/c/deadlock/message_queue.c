// The queue has room for one message, and its only reader sends two of its own.
// expect-anywhere: deadlock
#include <fcntl.h>
#include <mqueue.h>
#include <stddef.h>

int main(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    mqd_t queue = mq_open("/queue", O_CREAT | O_RDWR, 0600, &attributes);
    mq_send(queue, "a", 1, 0);
    mq_send(queue, "b", 1, 0);
    return 0;
}
