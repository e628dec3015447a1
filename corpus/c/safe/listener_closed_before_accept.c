// A listening socket is closed while clients may have connected: who was not accepted is reset, at once or when it reads; who comes
// later is refused.
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address;

static void *client(void *unused)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char c;
    (void)unused;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        assert(recv(fd, &c, 1, 0) == -1 && errno == ECONNRESET);
    else
        assert(errno == ECONNREFUSED);
    close(fd);
    return 0;
}

int main(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t threads[2];
    address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(8080), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    assert(bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 4) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, client, 0);
    close(fd);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
