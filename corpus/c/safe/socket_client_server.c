// What was written before a message was sent is there when the message has come, in both directions.
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in at = {.sin_family = AF_INET};
static int question, answer;

static void *client(void *p)
{
    char text[8];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    question = 6;
    assert(connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    assert(send(fd, "ask", 3, 0) == 3);
    assert(recv(fd, text, sizeof text, 0) == 3 && !memcmp(text, "yes", 3));
    assert(answer == 42);
    assert(recv(fd, text, sizeof text, 0) == 0);
    close(fd);
    return p;
}

int main(void)
{
    pthread_t t;
    char text[8];
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(bind(listener, (struct sockaddr *)&at, sizeof at) == 0);
    assert(getsockname(listener, (struct sockaddr *)&at, &size) == 0);
    assert(listen(listener, 4) == 0);
    pthread_create(&t, NULL, client, NULL);
    int fd = accept(listener, NULL, NULL);
    assert(fd >= 0);
    assert(recv(fd, text, sizeof text, 0) == 3);
    answer = question * 7;
    assert(send(fd, "yes", 3, 0) == 3);
    close(fd);
    pthread_join(t, NULL);
    close(listener);
    return 0;
}
