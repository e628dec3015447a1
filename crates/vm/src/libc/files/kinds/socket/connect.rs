//! connect and accept.
//!
//! The connecting thread makes the socket of the other end and appends it to the queue of the
//! listening socket. Its number was reserved before, by the action on the table of descriptors and
//! names.

use super::calls::{MISSING, OF_PEERS, looks, new, table_action};
use super::name::{self, Found, LOOPBACK, of_inet};
use super::{
    Field, INET, STREAM_SIZE, TIMES, UNIX, add, family, get, has, has_connection, has_place, is, link, set,
};
use super::{set_link, take_error};
use crate::hidden::HiddenObject;
use crate::libc::files::action::{cancelable, hidden, on_file};
use crate::libc::files::condition::Condition;
use crate::libc::files::content::{CLOSE_ON_EXEC, NONBLOCK};
use crate::libc::files::description::Way;
use crate::libc::files::errno::{EAGAIN, ECONNREFUSED, EINPROGRESS, EINVAL, EISCONN, EOPNOTSUPP, EPROTOTYPE};
use crate::libc::files::kinds::ring;
use crate::libc::files::lookup::{look_part, pinned};
use crate::libc::files::open::{self, How};
use crate::libc::files::operation::{After, Part, Parted, Performs, operation, phase, refused};
use crate::libc::files::pin::in_use;
use crate::libc::files::table::{self, Kind, OpenFile};
use crate::libc::files::wait::{self, for_others, is_open_to_others, wait_for};
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::state::State;
use selvedge_model::{Action, MemoryOrder, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "connect" => operation!(connect_part, connect),
        "accept" => operation!(accept_part, |cx| accept(cx, false, 0)),
        "accept4" => operation!(accept_part, |cx| accept(cx, true, 0)),
        "__selvedge_peer_accept" => operation!(accept_part, |cx| accept(cx, false, OF_PEERS)),
        _ => return None,
    })
}

fn note(cx: &Cx<'_>) -> u64 {
    cx.state.thread(cx.thread).core.note
}

fn set_note(cx: &mut Cx<'_>, note: u64) {
    cx.state.own_core(cx.thread).note = note;
}

fn waits(state: &State, open: &OpenFile) -> bool {
    table::flags(state, open.number) & NONBLOCK == 0
}

// ---- connect
// -------------------------------------------------------------------------------------------------

/// The contents of `Core::note` during a connection: the listening socket, and the socket of the
/// other end.
fn ends(cx: &Cx<'_>) -> (u32, u32) {
    (note(cx) as u32, (note(cx) >> 32) as u32)
}

fn connect_part(cx: &mut Cx<'_>) -> Parted {
    match phase(cx) {
        Phase::First => {
            let fd = cx.int(0)?;
            look_part(cx, fd)
        }
        Phase::LookedUp => {
            let open = pinned(cx)?;
            Ok(cancelable(cx, table_action(cx, &open)))
        }
        _ => {
            let (open, (listener, _)) = (pinned(cx)?, ends(cx));
            wait_for(cx, Condition::Place(listener));
            let action = on_file(cx, open.kind, open.file, Op::HiddenWait, MemoryOrder::Release);
            Ok(cancelable(
                cx,
                Action {
                    object2: HiddenObject::File(listener).id(),
                    ..action
                },
            ))
        }
    }
}

fn connect(cx: &mut Cx<'_>) -> Performs {
    match phase(cx) {
        Phase::First => looks(cx),
        Phase::LookedUp => find_peer(cx),
        _ => join(cx),
    }
}

/// The error number that says why a stream socket cannot be connected.
fn refusal(cx: &mut Cx<'_>, file: u32) -> Result<Option<i32>, Stop> {
    let state = &mut *cx.state;
    if has(state, file, is::LISTENING) {
        return Ok(Some(if family(state, file) == UNIX {
            EINVAL
        } else {
            EISCONN
        }));
    }
    if !has(state, file, is::CONNECTED) && get(state, file, Field::State) & is::RESET != 0 {
        return Err(Flow::Unsupported(
            "connecting a socket again after it was refused".into(),
        ));
    }
    Ok(has(state, file, is::CONNECTED).then_some(EISCONN))
}

/// The result if no socket listens at the address.
fn nobody(cx: &mut Cx<'_>, open: &OpenFile) -> Performs {
    if family(cx.state, open.file) == INET && !waits(cx.state, open) {
        set(cx.state, open.file, Field::Error, ECONNREFUSED as u64);
        add(cx.state, open.file, is::RESET);
        return refused(cx, EINPROGRESS);
    }
    refused(cx, ECONNREFUSED)
}

fn find_peer(cx: &mut Cx<'_>) -> Performs {
    let open = pinned(cx)?;
    let file = open.file;
    if in_use(cx, open.number) {
        let what = "connecting a socket that another thread is using";
        return Err(Flow::Unsupported(what.into()));
    }
    let given = match name::given_for(cx, 1, file)? {
        Ok(given) => given,
        Err(error) => return refused(cx, error),
    };
    if open.kind == Kind::Stream {
        if has(cx.state, file, is::IN_PROGRESS) {
            let state = get(cx.state, file, Field::State);
            set(cx.state, file, Field::State, state & !is::IN_PROGRESS);
            return Ok(After::Done(0, Outcome::Done));
        }
        if let Some(error) = refusal(cx, file)? {
            return refused(cx, error);
        }
    }
    let found = name::find(cx, open.kind, &given)?;
    if family(cx.state, file) == INET {
        add(cx.state, file, is::NAMED);
    }
    let peer = match found {
        Found::Socket(peer) => peer,
        Found::OfOtherType => return refused(cx, EPROTOTYPE),
        Found::Nothing => return refused(cx, MISSING),
        Found::Error(error) => return refused(cx, error),
        Found::Closed if open.kind == Kind::Datagram && family(cx.state, file) == INET => {
            let what = "connecting a datagram socket to an address that no socket of the program has";
            return Err(Flow::Unsupported(what.into()));
        }
        Found::Closed => return nobody(cx, &open),
    };
    if open.kind == Kind::Datagram {
        set_link(cx.state, file, Field::Peer, Some(peer));
        add(cx.state, file, is::CONNECTED);
        return Ok(After::Done(0, Outcome::Done));
    }
    let other = new(cx, family(cx.state, file), Kind::Stream)?;
    add(cx.state, other, is::ACCEPTED);
    // The address that was requested, for IPv4; otherwise the bound address.
    let at = match of_inet(get(cx.state, peer, Field::Address)) {
        Some((_, port)) => name::inet(LOOPBACK, port),
        None => get(cx.state, peer, Field::Address),
    };
    set(cx.state, other, Field::Address, at);
    set_note(cx, u64::from(peer) | u64::from(other) << 32);
    Ok(After::Next(Phase::PeerFound, Outcome::Done))
}

/// Establishes the connection.
fn join(cx: &mut Cx<'_>) -> Performs {
    let (open, (listener, other)) = (pinned(cx)?, ends(cx));
    let file = open.file;
    if let Some(error) = refusal(cx, file)? {
        return refused(cx, error);
    }
    if in_use(cx, open.number) {
        let what = "connecting a socket that another thread is using";
        return Err(Flow::Unsupported(what.into()));
    }
    let inet = family(cx.state, file) == INET;
    if !has(cx.state, listener, is::LISTENING)
        || get(cx.state, listener, Field::State) & (is::CLOSED | is::READ_SHUT) != 0
    {
        return nobody(cx, &open);
    }
    if !has_place(cx.state, listener) {
        if inet {
            let what = "connecting without waiting to a socket with a full backlog";
            return Err(Flow::Unsupported(what.into()));
        }
        wait::waited(cx, &open, Way::Out, true);
        return refused(cx, EAGAIN);
    }
    wait::waited(cx, &open, Way::Out, false);
    for (end, peer) in [(file, other), (other, file)] {
        ring::make(cx, end, STREAM_SIZE)?;
        set_link(cx.state, end, Field::Peer, Some(peer));
        add(cx.state, end, is::CONNECTED);
    }
    // With TCP, the new socket is a copy of the one that listens.
    let inherited = get(cx.state, listener, Field::Options) & TIMES;
    if inet && inherited != 0 {
        set(cx.state, other, Field::Options, inherited);
    }
    let (at, from) = (
        get(cx.state, other, Field::Address),
        name::address(cx.state, file)?,
    );
    set(cx.state, file, Field::PeerAddress, at);
    set(cx.state, other, Field::PeerAddress, from);
    match link(cx.state, listener, Field::Last) {
        Some(last) => set_link(cx.state, last, Field::Next, Some(other)),
        None => set_link(cx.state, listener, Field::First, Some(other)),
    }
    set_link(cx.state, listener, Field::Last, Some(other));
    let waiting = get(cx.state, listener, Field::Waiting);
    set(cx.state, listener, Field::Waiting, waiting + 1);
    if inet && !waits(cx.state, &open) {
        add(cx.state, file, is::IN_PROGRESS);
        cx.set_errno(EINPROGRESS)?;
        return Ok(After::Done(u64::MAX, Outcome::Done));
    }
    Ok(After::Done(0, Outcome::Done))
}

// ---- accept
// -------------------------------------------------------------------------------------------------

/// Removes the first waiting connection from the queue of a listening socket.
pub(super) fn first(state: &mut State, listener: u32) -> Option<u32> {
    let first = link(state, listener, Field::First)?;
    let next = link(state, first, Field::Next);
    set_link(state, listener, Field::First, next);
    if next.is_none() {
        set_link(state, listener, Field::Last, None);
    } else {
        set_link(state, first, Field::Next, None);
    }
    let waiting = get(state, listener, Field::Waiting);
    set(state, listener, Field::Waiting, waiting - 1);
    Some(first)
}

fn accept_part(cx: &mut Cx<'_>) -> Parted {
    match phase(cx) {
        Phase::First => {
            let fd = cx.int(0)?;
            look_part(cx, fd)
        }
        Phase::LookedUp => {
            let open = pinned(cx)?;
            wait_for(cx, Condition::Connection);
            let action = on_file(cx, open.kind, open.file, Op::HiddenWait, MemoryOrder::Acquire);
            let may_fail = is_open_to_others(cx.state, cx.thread);
            Ok(cancelable(cx, Action { may_fail, ..action }))
        }
        Phase::Accepted => Ok(Part::Act(hidden(cx, HiddenObject::Descriptors))),
        _ => open::install_part(cx),
    }
}

fn accept(cx: &mut Cx<'_>, with_flags: bool, least: u32) -> Performs {
    let flags = if with_flags { cx.int(3)? as u32 as u64 } else { 0 };
    match phase(cx) {
        Phase::First if flags & !(NONBLOCK | CLOSE_ON_EXEC) != 0 => refused(cx, EINVAL),
        Phase::First => looks(cx),
        Phase::LookedUp => {
            let open = pinned(cx)?;
            if open.kind != Kind::Stream {
                return refused(cx, EOPNOTSUPP);
            }
            if !has(cx.state, open.file, is::LISTENING) || has(cx.state, open.file, is::READ_SHUT) {
                return refused(cx, EINVAL);
            }
            if let Some(error) = take_error(cx.state, open.file) {
                return refused(cx, error);
            }
            if let Some(connection) = first(cx.state, open.file) {
                wait::waited(cx, &open, Way::In, false);
                set_note(cx, u64::from(connection));
                return Ok(After::Next(Phase::Accepted, Outcome::Done));
            }
            if !has_connection(cx.state, open.file) && wait::waits(cx.state, &open, Way::In) {
                return Err(for_others(cx));
            }
            wait::waited(cx, &open, Way::In, true);
            refused(cx, EAGAIN)
        }
        Phase::Accepted => {
            let connection = note(cx) as u32;
            match open::reserve_from(
                cx,
                connection,
                How::unnamed(flags & (NONBLOCK | CLOSE_ON_EXEC)),
                least,
            )? {
                Ok(()) => Ok(After::Next(Phase::Reserved, Outcome::Done)),
                Err(_) => Err(Flow::Unsupported(
                    "accepting a connection without a free descriptor".into(),
                )),
            }
        }
        _ => {
            let connection = table::open_file(cx.state, open::opened(cx)).file;
            let (to, length) = (cx.word(1)?, cx.word(2)?);
            let from = get(cx.state, connection, Field::PeerAddress);
            let fd = open::install(cx, false)?;
            name::put(cx, from, connection, to, length)?;
            Ok(After::Done(u64::from(fd), Outcome::Done))
        }
    }
}
