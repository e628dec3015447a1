//! Sockets: connections and datagrams between the threads of the program.
//!
//! Each socket is a file with a ring for what has arrived at it. Sending is an action on the own
//! file and on the one that it arrives at, and hands on through the latter; receiving is an action
//! on the own file. So two directions of a connection order nothing in each other. A connection's
//! second socket is made by who connects, and waits in the list of the socket that listens.
//!
//! Addresses are looked up, taken and given back by actions on the table of descriptors and names.
//! A socket of the family AF_INET that the program did not bind has a port that follows from its
//! number, so that no state is needed to give it one.
//!
//! What is sent arrives at once and in order. The machine has one interface, the loopback of IPv4;
//! no other process uses it. Who waits for a connection or datagram that somebody outside could
//! send waits, in the end, for something that is not modelled: see `sync::status`.
//!
//! Unsupported: other families and types, control data, urgent data, time-outs of sockets, more
//! datagrams than fit, closing a socket that listens while connections wait there and there are
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

/// The families, as numbers of Linux.
const UNIX: u64 = 1;
const INET: u64 = 2;

/// Bytes that may be on their way to a stream.
const STREAM_SIZE: u64 = 65_536;
/// Bytes that may wait at a datagram socket, with [`HEADER`]s.
const DATAGRAM_SIZE: u64 = 4 * 65_536;
/// What is kept before each datagram: how many bytes it has, and which socket sent it.
const HEADER: u64 = 8;

/// Bits of `SocketField::State`.
mod is {
    /// Accepts connections.
    pub const LISTENING: u64 = 1 << 0;
    /// Has another end.
    pub const CONNECTED: u64 = 1 << 1;
    /// The program has shut down reading.
    pub const READ_SHUT: u64 = 1 << 2;
    /// The program has shut down writing.
    pub const WRITE_SHUT: u64 = 1 << 3;
    /// The other end writes no more.
    pub const ENDED: u64 = 1 << 4;
    /// The other end reads no more.
    pub const UNREAD: u64 = 1 << 5;
    /// A write to an end that is closed was answered: nothing goes either way any more.
    pub const RESET: u64 = 1 << 6;
    /// No descriptor stands for it.
    pub const CLOSED: u64 = 1 << 7;
    /// Connected without waiting, and not yet told so.
    pub const IN_PROGRESS: u64 = 1 << 8;
    /// Has an address, if one that follows from its number.
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

/// A socket that a field names.
fn link(state: &State, file: u32, field: Field) -> Option<u32> {
    (get(state, file, field) as u32).checked_sub(1)
}

fn set_link(state: &mut State, file: u32, field: Field, other: Option<u32>) {
    set(state, file, field, other.map_or(0, |other| u64::from(other) + 1));
}

/// Takes the error that a socket keeps.
fn take_error(state: &mut State, file: u32) -> Option<i32> {
    let error = get(state, file, Field::Error) as i32;
    if error != 0 {
        set(state, file, Field::Error, 0);
    }
    (error != 0).then_some(error)
}

/// Whether a connection waits to be accepted, or none ever will.
pub(in crate::libc::files) fn has_connection(state: &State, file: u32) -> bool {
    !has(state, file, is::LISTENING) || has(state, file, is::READ_SHUT) || get(state, file, Field::First) != 0
}

/// Whether one more connection may wait, or none may.
pub(in crate::libc::files) fn has_place(state: &State, file: u32) -> bool {
    !has(state, file, is::LISTENING) || get(state, file, Field::Waiting) <= get(state, file, Field::Backlog)
}

/// Nothing more comes to a stream.
fn no_more_comes(state: &State, file: u32) -> bool {
    get(state, file, Field::State) & (is::READ_SHUT | is::ENDED | is::RESET) != 0
}

/// Nothing more goes out of a stream.
fn no_more_goes(state: &State, file: u32) -> bool {
    let ends = if family(state, file) == UNIX {
        is::WRITE_SHUT | is::UNREAD | is::RESET
    } else {
        is::WRITE_SHUT | is::RESET
    };
    get(state, file, Field::State) & ends != 0
}

/// What a datagram socket holds first: its bytes, and who sent it.
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

/// Room that a datagram of so many bytes takes.
const fn space(bytes: u64) -> u64 {
    HEADER + bytes.next_multiple_of(HEADER)
}

/// Whether an open file is a socket.
const fn is_socket(open: &OpenFile) -> bool {
    matches!(open.kind, Kind::Stream | Kind::Datagram)
}
