//! Sockets: connections and datagrams between the threads of the program.
//!
//! Each socket is a file with a ring for the data that has arrived. Sending is an action on the
//! sender's file and on the receiver's file, and releases through the latter. Receiving is an
//! action on the receiver's own file. So the two directions of a connection do not order each
//! other. The connecting thread makes the second socket of a connection. That socket waits in the
//! queue of the listening socket.
//!
//! Actions on the table of descriptors and names look up, reserve and release addresses. A socket
//! of the family AF_INET that the program did not bind has a port that follows from its number. So
//! no state is needed to assign it.
//!
//! Data arrives at once and in order. The machine has one interface, the loopback of IPv4, and no
//! other process uses it. A wait for a connection or datagram that only another process could send
//! is in the end a wait for something that is not modelled: see `sync::status`.
//!
//! Unsupported: other families and types, control data, urgent data, time-outs of sockets, more
//! datagrams than fit, and closing a listening socket while connections wait there and there are
//! several threads.

mod calls;
mod connect;
pub(super) mod description;
pub(super) mod find;
mod message;
mod name;
mod option;

use crate::libc::files::kinds::ring;
use crate::libc::files::table::{self, Kind, OpenFile};
use crate::state::State;
use crate::word::{SocketField as Field, WordKey};

/// The families, by their Linux numbers.
const UNIX: u64 = 1;
const INET: u64 = 2;

/// The capacity of a stream in bytes.
const STREAM_SIZE: u64 = 65_536;
/// The capacity of a datagram socket in bytes, including [`HEADER`]s.
const DATAGRAM_SIZE: u64 = 4 * 65_536;
/// The size of the header of a queued datagram: its length, and the socket that sent it.
const HEADER: u64 = 8;

/// The time-outs in `SocketField::Options`: seconds, for receiving and for sending.
const RECEIVE_TIME: u32 = 40;
const SEND_TIME: u32 = 52;
/// The longest time-out.
const LONGEST_TIME: u64 = 0xfff;
const TIMES: u64 = LONGEST_TIME << RECEIVE_TIME | LONGEST_TIME << SEND_TIME;

/// Bits of `SocketField::State`.
mod is {
    /// Accepts connections.
    pub const LISTENING: u64 = 1 << 0;
    /// Has a connected peer.
    pub const CONNECTED: u64 = 1 << 1;
    /// The program has shut down reading.
    pub const READ_SHUT: u64 = 1 << 2;
    /// The program has shut down writing.
    pub const WRITE_SHUT: u64 = 1 << 3;
    /// The other end will not write any more.
    pub const ENDED: u64 = 1 << 4;
    /// The other end will not read any more.
    pub const UNREAD: u64 = 1 << 5;
    /// A write to a closed end was answered with a reset. No data passes in either direction any
    /// more.
    pub const RESET: u64 = 1 << 6;
    /// No descriptor refers to it.
    pub const CLOSED: u64 = 1 << 7;
    /// Connected without waiting; the program was not yet told.
    pub const IN_PROGRESS: u64 = 1 << 8;
    /// Has an address, perhaps one that follows from its number.
    pub const NAMED: u64 = 1 << 9;
    /// Was made by accepting a connection.
    pub const ACCEPTED: u64 = 1 << 10;
}

fn get(state: &State, file: u32, field: Field) -> u64 {
    state.word(WordKey::Socket(file, field))
}

fn set(state: &mut State, file: u32, field: Field, value: u64) {
    state.set_word(WordKey::Socket(file, field), value);
}

/// Whether a socket has all of these bits.
fn has(state: &State, file: u32, bits: u64) -> bool {
    get(state, file, Field::State) & bits == bits
}

fn add(state: &mut State, file: u32, bits: u64) {
    let now = get(state, file, Field::State);
    set(state, file, Field::State, now | bits);
}

fn family(state: &State, file: u32) -> u64 {
    get(state, file, Field::Family)
}

/// The socket in a field.
fn link(state: &State, file: u32, field: Field) -> Option<u32> {
    (get(state, file, field) as u32).checked_sub(1)
}

fn set_link(state: &mut State, file: u32, field: Field, other: Option<u32>) {
    set(state, file, field, other.map_or(0, |other| u64::from(other) + 1));
}

/// Takes and clears the pending error of a socket.
fn take_error(state: &mut State, file: u32) -> Option<i32> {
    let error = get(state, file, Field::Error) as i32;
    if error != 0 {
        set(state, file, Field::Error, 0);
    }
    (error != 0).then_some(error)
}

/// Whether a connection waits to be accepted, or accepting cannot succeed any more.
pub(in crate::libc::files) fn has_connection(state: &State, file: u32) -> bool {
    !has(state, file, is::LISTENING) || has(state, file, is::READ_SHUT) || get(state, file, Field::First) != 0
}

/// Whether the queue has room for one more connection, or the socket does not listen.
pub(in crate::libc::files) fn has_place(state: &State, file: u32) -> bool {
    !has(state, file, is::LISTENING) || get(state, file, Field::Waiting) <= get(state, file, Field::Backlog)
}

/// No more data arrives at a stream.
fn no_more_comes(state: &State, file: u32) -> bool {
    get(state, file, Field::State) & (is::READ_SHUT | is::ENDED | is::RESET) != 0
}

/// Whether a connection of IPv4 is over: both ends have said that nothing more comes, or one was
/// reset. Linux then has the socket in the state of one that is not connected.
fn is_over(state: &State, file: u32) -> bool {
    let both = is::WRITE_SHUT | is::ENDED;
    let now = get(state, file, Field::State);
    family(state, file) == INET && (now & both == both || now & is::RESET != 0)
}

/// No more data can be sent on a stream.
fn no_more_goes(state: &State, file: u32) -> bool {
    let ends = if family(state, file) == UNIX {
        is::WRITE_SHUT | is::UNREAD | is::RESET
    } else {
        is::WRITE_SHUT | is::RESET
    };
    get(state, file, Field::State) & ends != 0
}

/// The first datagram in the queue of a socket: its length and its sender.
fn first_datagram(state: &State, file: u32) -> Option<(u64, u32)> {
    if table::length(state, file) == 0 {
        return None;
    }
    let header = state
        .memory
        .peek_checked(ring::place(state, file, 0), HEADER)
        .bits;
    Some((header & 0xffff_ffff, (header >> 32) as u32))
}

/// The space that a datagram occupies in the queue.
const fn space(bytes: u64) -> u64 {
    HEADER + bytes.next_multiple_of(HEADER)
}

/// Whether an open file is a socket.
const fn is_socket(open: &OpenFile) -> bool {
    matches!(open.kind, Kind::Stream | Kind::Datagram)
}
