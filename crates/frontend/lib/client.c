// Clients of a server that is checked: peers that connect to its listening sockets over the loopback, and do what their scripts say.
// Each is a thread that begins when its socket listens, so when it connects and sends is up to the schedule. Their descriptors
// are not below 1000. Calls of listen come here if the options name clients.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// How many clients there are.
int __selvedge_client_count(void);
// A byte of a client's script; -1 behind its end.
int __selvedge_client_byte(int client, long at);
// A byte of any value.
unsigned char __selvedge_packet_byte(void);
// As socket, with a descriptor that is not below 1000.
int __selvedge_client_socket(int family, int type, int protocol);
// Makes the thread block these signals, and says which it did.
unsigned long __selvedge_set_mask(unsigned long mask);

// The steps of a script: one byte, then a number of 8 bytes, then as many bytes for those that have a text.
enum
{
    PORT = 1,     // the socket's port; 0: any socket
    SEND = 2,     // a text
    SYMBOLIC = 3, // so many bytes of any value
    EXPECT = 4,   // a text that comes, and nothing else before it
    RECEIVE = 5,  // so many bytes, whatever they are
    END = 6,      // nothing more will be sent
    DRAIN = 7,    // all that comes, up to the end
};

struct client
{
    int number, fd;
    long at;
    struct sockaddr_storage address;
    socklen_t size;
};

static long number(const struct client *client, long at)
{
    long value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | __selvedge_client_byte(client->number, at + i);
    return value;
}

// Sends bytes; false if nobody will receive them.
static int sends(struct client *client, const char *bytes, size_t count)
{
    while (count)
    {
        ssize_t sent = send(client->fd, bytes, count, MSG_NOSIGNAL);
        if (sent < 0)
            return 0;
        bytes += sent;
        count -= (size_t)sent;
    }
    return 1;
}

// Receives a byte; -1 at the end.
static int received(struct client *client)
{
    unsigned char byte;
    return recv(client->fd, &byte, 1, 0) == 1 ? byte : -1;
}

static void run(struct client *client)
{
    int step;
    while ((step = __selvedge_client_byte(client->number, client->at)) >= 0)
    {
        long count = number(client, client->at + 1), text = client->at + 9;
        client->at = text + (step == SEND || step == EXPECT ? count : 0);
        if (step == SEND || step == SYMBOLIC)
        {
            char *bytes = malloc((size_t)count);
            for (long i = 0; i < count; i++)
                bytes[i] = step == SEND ? (char)__selvedge_client_byte(client->number, text + i) : (char)__selvedge_packet_byte();
            int go_on = sends(client, bytes, (size_t)count);
            free(bytes);
            if (!go_on)
                return;
        }
        else if (step == EXPECT)
            for (long i = 0; i < count; i++)
                assert(received(client) == __selvedge_client_byte(client->number, text + i) && "a client gets what it expects");
        else if (step == RECEIVE)
            for (long i = 0; i < count && received(client) >= 0; i++)
                ;
        else if (step == END)
            shutdown(client->fd, SHUT_WR);
        else if (step == DRAIN)
            while (received(client) >= 0)
                ;
    }
}

static void *start(void *argument)
{
    struct client *client = argument;
    pthread_setname_np(pthread_self(), "client");
    if (connect(client->fd, (struct sockaddr *)&client->address, client->size) == 0)
        run(client);
    close(client->fd);
    free(client);
    return NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long started;

// Whether a client connects to this socket, and has not begun.
static int belongs(const struct client *client)
{
    if (started >> client->number & 1)
        return 0;
    long port = number(client, 1);
    if (port == 0)
        return 1;
    const struct sockaddr_in *address = (const struct sockaddr_in *)&client->address;
    return address->sin_family == AF_INET && ntohs(address->sin_port) == port;
}

static void begin(int fd)
{
    int count = __selvedge_client_count();
    for (int i = 0; i < count; i++)
    {
        struct client seen = {.number = i, .at = 9, .size = sizeof seen.address}, *client;
        pthread_t thread;
        getsockname(fd, (struct sockaddr *)&seen.address, &seen.size);
        if (!belongs(&seen))
            continue;
        started |= 1ul << i;
        struct sockaddr_in *address = (struct sockaddr_in *)&seen.address;
        if (address->sin_family == AF_INET && address->sin_addr.s_addr == htonl(INADDR_ANY))
            address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        seen.fd = __selvedge_client_socket(seen.address.ss_family, SOCK_STREAM, 0);
        client = malloc(sizeof *client);
        *client = seen;
        pthread_create(&thread, NULL, start, client);
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
