// The receiver looks at the data before it receives.
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stddef.h>

static mqd_t queue;
static int data;

static void *produce(void *unused)
{
    data = 1; // expect: data-race
    mq_send(queue, "a", 1, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[8];
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    queue = mq_open("/queue", O_CREAT | O_RDWR, 0600, &attributes);
    pthread_create(&thread, NULL, produce, NULL);
    int seen = data; // expect: data-race
    mq_receive(queue, text, sizeof text, NULL);
    pthread_join(thread, NULL);
    return seen < 0;
}
