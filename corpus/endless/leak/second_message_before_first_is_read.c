// A mailbox for one message, and a sender that does not wait until it is empty.
// options: --property leak
#include <pthread.h>
#include <stdlib.h>

static char *message;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *receive(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        char *received = message;
        message = 0;
        pthread_mutex_unlock(&lock);
        free(received);
    }
    return unused;
}

int main(void)
{
    pthread_t receiver;
    pthread_create(&receiver, 0, receive, 0);
    for (int i = 0; i < 2; i++) {
        char *sent = malloc(10); // expect: memory.leak
        pthread_mutex_lock(&lock);
        message = sent;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
