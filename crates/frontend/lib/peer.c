// What peers from outside do: the steps of their scripts.
#define _GNU_SOURCE
#include "peer.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// A byte of any value.
unsigned char __selvedge_packet_byte(void);

long __selvedge_peer_number(int peer, long at)
{
    long value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | __selvedge_peer_byte(peer, at + i);
    return value;
}

int __selvedge_peer_receive(struct peer *peer, size_t most)
{
    if (peer->count + most > peer->room)
    {
        size_t room = 2 * (peer->count + most);
        unsigned char *came = calloc(room, 1);
        if (peer->came)
            memcpy(came, peer->came, peer->count);
        free(peer->came);
        peer->came = came;
        peer->room = room;
    }
    ssize_t received = recv(peer->fd, peer->came + peer->count, most, 0);
    if (received <= 0)
        return 0;
    peer->count += (size_t)received;
    return 1;
}

// The next byte; -1 at the end. At most `most` bytes will be wanted. What was used leaves nothing behind that would tell states apart.
static int received(struct peer *peer, long most)
{
    if (peer->used == peer->count)
    {
        if (peer->came)
            memset(peer->came, 0, peer->count);
        peer->used = peer->count = 0;
        if (!__selvedge_peer_receive(peer, most < 256 ? (size_t)most : 256))
            return -1;
    }
    return peer->came[peer->used++];
}

// Sends bytes; false if nobody will receive them.
static int sends(struct peer *peer, const char *bytes, size_t count)
{
    while (count)
    {
        ssize_t sent = send(peer->fd, bytes, count, MSG_NOSIGNAL);
        if (sent < 0)
            return 0;
        bytes += sent;
        count -= (size_t)sent;
    }
    return 1;
}

int __selvedge_peer_steps(struct peer *peer)
{
    int step;
    while ((step = __selvedge_peer_byte(peer->number, peer->at)) >= 0 && step != ON)
    {
        long count = __selvedge_peer_number(peer->number, peer->at + 1), text = peer->at + 9;
        peer->at = text + (step == SEND || step == EXPECT ? count : 0);
        if (step == SEND || step == SYMBOLIC)
        {
            char *bytes = malloc((size_t)count);
            for (long i = 0; i < count; i++)
                bytes[i] = step == SEND ? (char)__selvedge_peer_byte(peer->number, text + i) : (char)__selvedge_packet_byte();
            int go_on = sends(peer, bytes, (size_t)count);
            free(bytes);
            if (!go_on)
                return 0;
        }
        else if (step == EXPECT)
            for (long i = 0; i < count; i++)
                assert(received(peer, count - i) == __selvedge_peer_byte(peer->number, text + i) && "a peer gets what it expects");
        else if (step == RECEIVE)
            for (long i = 0; i < count && received(peer, count - i) >= 0; i++)
                ;
        else if (step == END)
            shutdown(peer->fd, SHUT_WR);
        else if (step == DRAIN)
            while (received(peer, 256) >= 0)
                ;
    }
    return 1;
}
