// Clients of a server that is checked: peers that connect to its listening sockets over the loopback, and do what their scripts say.
// Each is a thread that begins when its socket listens, so when it connects and sends is up to the schedule. Their descriptors
// are no numbers of the program's. Calls of listen come here if the options name peers.
#define _GNU_SOURCE
#include "peer.h"
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

// As socket, with a descriptor that the program does not have.
int __selvedge_peer_socket(int family, int type, int protocol);
// Makes the thread block these signals, and says which it did.
unsigned long __selvedge_set_mask(unsigned long mask);

struct client
{
    struct peer peer;
    struct sockaddr_storage address;
    socklen_t size;
};

// What the thread of a client runs: the machine knows it by this name.
void *__selvedge_client(void *argument)
{
    struct client *client = argument;
    pthread_setname_np(pthread_self(), "client");
    if (connect(client->peer.fd, (struct sockaddr *)&client->address, client->size) == 0)
        __selvedge_peer_steps(&client->peer);
    close(client->peer.fd);
    free(client->peer.came);
    free(client);
    return NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long started;

// Whether a client connects to this socket, and has not begun.
static int belongs(const struct client *client)
{
    if (started >> client->peer.number & 1 || __selvedge_peer_byte(client->peer.number, 0) != PORT)
        return 0;
    long port = __selvedge_peer_number(client->peer.number, 1);
    if (port == 0)
        return 1;
    const struct sockaddr_in *address = (const struct sockaddr_in *)&client->address;
    return address->sin_family == AF_INET && ntohs(address->sin_port) == port;
}

static void begin(int fd)
{
    int count = __selvedge_peer_count();
    for (int i = 0; i < count; i++)
    {
        struct client seen = {.peer = {.number = i, .at = STEPS}, .size = sizeof seen.address}, *client;
        pthread_t thread;
        getsockname(fd, (struct sockaddr *)&seen.address, &seen.size);
        if (!belongs(&seen))
            continue;
        started |= 1ul << i;
        struct sockaddr_in *address = (struct sockaddr_in *)&seen.address;
        if (address->sin_family == AF_INET && address->sin_addr.s_addr == htonl(INADDR_ANY))
            address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        seen.peer.fd = __selvedge_peer_socket(seen.address.ss_family, SOCK_STREAM, 0);
        client = malloc(sizeof *client);
        *client = seen;
        pthread_create(&thread, NULL, __selvedge_client, client);
        pthread_detach(thread);
    }
}

int __selvedge_serving_listen(int fd, int backlog)
{
    int result = listen(fd, backlog);
    if (result == 0)
    {
        // A client gets no signals.
        unsigned long mask = __selvedge_set_mask(~(3ul << 31));
        pthread_mutex_lock(&lock);
        begin(fd);
        pthread_mutex_unlock(&lock);
        __selvedge_set_mask(mask);
    }
    return result;
}
