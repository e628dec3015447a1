// A server accepts connections for ever; who connects is another thread. Nobody else comes.
// options: --other-peers off
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int served;
static struct sockaddr_in address;

static void *serves(void *fd)
{
    char byte;
    int connection = (int)(long)fd;
    while (read(connection, &byte, 1) == 1) {
        pthread_mutex_lock(&lock);
        served++;
        pthread_mutex_unlock(&lock);
    }
    close(connection);
    return 0;
}

static void *connects(void *unused)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    assert(write(fd, "x", 1) == 1);
    close(fd);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_family = AF_INET;
    address.sin_port = htons(4000);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(bind(server, (struct sockaddr *)&address, sizeof address) == 0 && listen(server, 3) == 0);
    pthread_create(&thread, 0, connects, 0);
    for (;;) {
        long fd = accept(server, 0, 0);
        assert(fd >= 0);
        pthread_mutex_lock(&lock);
        assert(served <= 1);
        pthread_mutex_unlock(&lock);
        pthread_create(&thread, 0, serves, (void *)fd);
    }
}
