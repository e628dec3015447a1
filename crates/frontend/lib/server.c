// Servers for clients that are checked: peers that listen at the ports of their scripts, on this machine, whatever address the program
// connects to. Each connection has a thread of its own, which does what its script says. Calls
// of connect come here if the options name peers.
#define _GNU_SOURCE
#include "peer.h"
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// As socket and accept, with a descriptor that the program does not have.
int __selvedge_peer_socket(int family, int type, int protocol);
int __selvedge_peer_accept(int fd, struct sockaddr *address, socklen_t *size);
// Makes the thread block these signals, and says which it did.
unsigned long __selvedge_set_mask(unsigned long mask);

// Whether a text of the script is what came last.
static int ends(const struct peer *peer, long text, long count)
{
    if ((size_t)count > peer->used)
        return 0;
    for (long i = 0; i < count; i++)
        if (peer->came[peer->used - (size_t)count + (size_t)i] != __selvedge_peer_byte(peer->number, text + i))
            return 0;
    return 1;
}

// Goes to the first section whose text has come last; false if there is none. `any`: to the first one.
static int finds_section(struct peer *peer, int any)
{
    int step;
    for (long at = STEPS; (step = __selvedge_peer_byte(peer->number, at)) >= 0;)
    {
        long count = __selvedge_peer_number(peer->number, at + 1), text = at + 9;
        at = text + (step == SEND || step == EXPECT || step == ON ? count : 0);
        peer->at = at;
        if (step == ON && (any || ends(peer, text, count)))
            return 1;
    }
    return 0;
}

// Receives until the text of a section has come, and goes there; false at the end.
static int is_asked(struct peer *peer)
{
    if (!finds_section(peer, 1))
        return 0;
    memmove(peer->came, peer->came + peer->used, peer->count - peer->used);
    memset(peer->came + peer->count - peer->used, 0, peer->used);
    peer->count -= peer->used;
    peer->used = 0;
    do
        while (peer->used < peer->count)
        {
            peer->used++;
            if (finds_section(peer, 0))
                return 1;
        }
    while (__selvedge_peer_receive(peer, 256));
    return 0;
}

// What the thread of a connection runs: the machine knows it by this name.
void *__selvedge_server(void *argument)
{
    struct peer *peer = argument;
    pthread_setname_np(pthread_self(), "server");
    peer->fd = __selvedge_peer_accept(peer->fd, NULL, NULL);
    peer->came = calloc(peer->room, 1);
    while (__selvedge_peer_steps(peer) && is_asked(peer))
        ;
    close(peer->fd);
    free(peer->came);
    free(peer);
    return NULL;
}

// The listening socket of each server that was met; -1 if the program itself listens at the port, 0 if it was not met.
static int listeners[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// A listening socket of a server. The machine knows by this name that it may use the descriptor.
__attribute__((noinline)) int __selvedge_peer_listen(const struct sockaddr_in *at)
{
    int fd = __selvedge_peer_socket(AF_INET, SOCK_STREAM, 0);
    return bind(fd, (const struct sockaddr *)at, sizeof *at) || listen(fd, 128) ? -1 : fd;
}

static int listener(int number, const struct sockaddr_in *at)
{
    int fd = __atomic_load_n(&listeners[number], __ATOMIC_ACQUIRE);
    if (fd)
        return fd;
    pthread_mutex_lock(&lock);
    fd = listeners[number];
    if (!fd)
    {
        fd = __selvedge_peer_listen(at);
        __atomic_store_n(&listeners[number], fd, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

// The server at a port; -1 if there is none.
static int server(unsigned port)
{
    int count = __selvedge_peer_count();
    for (int i = 0; i < count; i++)
        if (__selvedge_peer_byte(i, 0) == SERVE && __selvedge_peer_number(i, 1) == (long)port)
            return i;
    return -1;
}

// Whether it is a stream that has no peer yet.
static int is_new(int fd)
{
    struct sockaddr_storage peer;
    int type = 0;
    socklen_t size = sizeof type, room = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM &&
        getpeername(fd, (struct sockaddr *)&peer, &room) != 0;
}

int __selvedge_served_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    int number = -1;
    if (address && size >= sizeof(struct sockaddr_in) && address->sa_family == AF_INET)
        number = server(ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port));
    int before = errno;
    if (number < 0 || !is_new(fd))
    {
        errno = before;
        return connect(fd, address, size);
    }
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = ((const struct sockaddr_in *)(const void *)address)->sin_port,
        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    // A server gets no signals.
    unsigned long mask = __selvedge_set_mask(~(3ul << 31));
    int from = listener(number, &at);
    errno = before;
    int result = connect(fd, (const struct sockaddr *)&at, sizeof at);
    int error = errno;
    if (from >= 0 && (result == 0 || error == EINPROGRESS))
    {
        struct peer *peer = malloc(sizeof *peer);
        pthread_t thread;
        *peer = (struct peer){.number = number, .fd = from, .at = STEPS, .room = 512};
        pthread_create(&thread, NULL, __selvedge_server, peer);
        pthread_detach(thread);
    }
    __selvedge_set_mask(mask);
    errno = error;
    return result;
}
