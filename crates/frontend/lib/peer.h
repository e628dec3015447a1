// Peers from outside: what each does is in a script of the options (`crates/session/src/client.rs`).
#pragma once
#include <stddef.h>

// The steps of a script: one byte, then a number of 8 bytes, then as many bytes for those that have a text.
enum
{
    PORT = 1,     // a client; the port where it connects; 0: any socket
    SEND = 2,     // a text
    SYMBOLIC = 3, // so many bytes of any value
    EXPECT = 4,   // a text that comes, and nothing else before it
    RECEIVE = 5,  // so many bytes, whatever they are
    END = 6,      // nothing more will be sent
    DRAIN = 7,    // all that comes, up to the end
    SERVE = 8,    // a server; the port where it listens
    ON = 9,       // what is done when this text has come
    STEPS = 9,    // where the steps behind the port begin
};

struct peer
{
    int number, fd;
    long at;
    // What has come, and how much of it was used.
    unsigned char *came;
    size_t count, used, room;
};

// How many peers there are.
int __selvedge_peer_count(void);
// A byte of a peer's script; -1 behind its end.
int __selvedge_peer_byte(int client, long at);
// A number of a peer's script.
long __selvedge_peer_number(int peer, long at);
// Does the steps of a script up to its end or the next ON; false if nobody will receive them.
int __selvedge_peer_steps(struct peer *peer);
// Receives at most so many bytes; false at the end.
int __selvedge_peer_receive(struct peer *peer, size_t most);
