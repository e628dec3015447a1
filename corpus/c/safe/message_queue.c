// Messages come in the order of their priorities, and what was written before one was sent is seen by who receives it.
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stddef.h>

static mqd_t queue;
static int data;

static void *produce(void *unused)
{
    data = 1;
    mq_send(queue, "a", 1, 1);
    mq_send(queue, "b", 1, 2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[8];
    unsigned priority;
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    queue = mq_open("/queue", O_CREAT | O_RDWR, 0600, &attributes);
    pthread_create(&thread, NULL, produce, NULL);
    assert(mq_receive(queue, text, sizeof text, &priority) == 1);
    assert(data == 1 && text[0] == 'a' && priority == 1);
    assert(mq_receive(queue, text, sizeof text, NULL) == 1 && text[0] == 'b');
    pthread_join(thread, NULL);
    mq_close(queue);
    assert(mq_unlink("/queue") == 0);
    return 0;
}
