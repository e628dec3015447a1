//! Sending and receiving: sendto, recvfrom, shutdown. (send, recv, sendmsg and recvmsg are C code
//! that uses these.)

use super::calls::{looks, table_action};
use super::name::{self, Found};
use super::{
    DATAGRAM_SIZE, Field, HEADER, INET, UNIX, add, family, first_datagram, get, has, is, is_over, link,
    no_more_goes, set, set_link, space, take_error,
};
use crate::hidden::HiddenObject;
use crate::libc::files::action::{cancelable, on_file, on_reached};
use crate::libc::files::buffer::{access, store};
use crate::libc::files::condition::Condition;
use crate::libc::files::content::NONBLOCK;
use crate::libc::files::description::{Answer, Bytes, Way, Written};
use crate::libc::files::errno::{
    EAGAIN, ECONNREFUSED, EDESTADDRREQ, EINVAL, EMSGSIZE, ENOTCONN, EPERM, EPIPE, EPROTOTYPE,
};
use crate::libc::files::kinds::pipe::broken;
use crate::libc::files::kinds::ring;
use crate::libc::files::lookup::{look_part, pinned, still_reaches};
use crate::libc::files::operation::{After, Part, Parted, Performs, operation, phase, refused};
use crate::libc::files::pin::{keep_reached, reached};
use crate::libc::files::table::{self, Kind, OpenFile};
use crate::libc::files::wait::{self, for_others, is_open_to_others, wait_for};
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::value::Value;
use selvedge_model::{Action, MemoryOrder, ObjectId, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "sendto" => operation!(send_part, send_to),
        "recvfrom" => operation!(receive_part, receive),
        "shutdown" => operation!(shut_part, shut),
        _ => return None,
    })
}

const PEEK: u32 = 0x2;
const TRUNCATED: u32 = 0x20;
const DO_NOT_WAIT: u32 = 0x40;
const WAIT_FOR_ALL: u32 = 0x100;
const NO_SIGNAL: u32 = 0x4000;

fn note(cx: &Cx<'_>) -> u64 {
    cx.state.thread(cx.thread).core.note
}

fn set_note(cx: &mut Cx<'_>, note: u64) {
    cx.state.own_core(cx.thread).note = note;
}

/// The flags of a call, which must be among `known`.
fn flags(cx: &mut Cx<'_>, known: u32) -> Result<u32, Stop> {
    let flags = cx.int(3)? as u32;
    match flags & !known {
        0 => Ok(flags),
        other => Err(Flow::Unsupported(format!(
            "sending or receiving with flag {other:#x}"
        ))),
    }
}

/// Whether a call goes on at once with what there is, or fails.
fn is_at_once(cx: &Cx<'_>, open: &OpenFile, flags: u32) -> bool {
    flags & DO_NOT_WAIT != 0 || table::flags(cx.state, open.number) & NONBLOCK != 0
}

/// Whether a call waits until it can go on. Others may have a time-out.
fn waits(cx: &Cx<'_>, open: &OpenFile, flags: u32, way: Way) -> bool {
    flags & DO_NOT_WAIT == 0 && wait::waits(cx.state, open, way)
}

// ---- sending
// -------------------------------------------------------------------------------------------------

/// Sends as many bytes as there is room for. The action was made for the receiving socket `to`.
pub(super) fn send(
    cx: &mut Cx<'_>,
    open: &OpenFile,
    bytes: Bytes,
    to: Option<u32>,
    quiet: bool,
) -> Answer<Written> {
    let file = open.file;
    let nobody = |cx: &mut Cx<'_>| if quiet { Ok(Err(EPIPE)) } else { broken(cx) };
    if open.kind == Kind::Datagram {
        return datagram(cx, file, bytes, to, &nobody);
    }
    // In a local connection, a shutdown takes precedence over an error.
    let local = family(cx.state, file) == UNIX && no_more_goes(cx.state, file);
    if !local && let Some(error) = take_error(cx.state, file) {
        return if error == EPIPE {
            nobody(cx)
        } else {
            Ok(Err(error))
        };
    }
    if no_more_goes(cx.state, file) {
        return nobody(cx);
    }
    let Some(to) = to else {
        // Linux sends a signal for an IPv4 stream that was never connected, but not for other
        // families.
        return if family(cx.state, file) == INET {
            nobody(cx)
        } else {
            Ok(Err(ENOTCONN))
        };
    };
    if has(cx.state, file, is::UNREAD) && bytes.count > 0 {
        // The other end of an IPv4 connection is closed. The first write still succeeds, and the
        // connection is reset.
        add(cx.state, file, is::RESET);
        set(cx.state, file, Field::Error, EPIPE as u64);
        return Ok(Ok(Written::All(bytes.count)));
    }
    let now = ring::room(cx.state, to).min(bytes.count);
    if now == 0 && bytes.count > 0 {
        return Ok(Err(EAGAIN));
    }
    ring::put(cx, to, bytes.from, now);
    Ok(Ok(if now == bytes.count {
        Written::All(now)
    } else {
        Written::Part(now)
    }))
}

/// The largest datagram.
const LONGEST: u64 = 65_507;

fn datagram(
    cx: &mut Cx<'_>,
    file: u32,
    bytes: Bytes,
    to: Option<u32>,
    nobody: &dyn Fn(&mut Cx<'_>) -> Answer<Written>,
) -> Answer<Written> {
    if let Some(error) = take_error(cx.state, file) {
        return Ok(Err(error));
    }
    if has(cx.state, file, is::WRITE_SHUT) {
        return nobody(cx);
    }
    let inet = family(cx.state, file) == INET;
    let Some(to) = to else {
        return Ok(Err(if inet { EDESTADDRREQ } else { ENOTCONN }));
    };
    if bytes.count > LONGEST {
        if inet {
            return Ok(Err(EMSGSIZE));
        }
        return Err(Flow::Unsupported("a datagram of more than 65,507 bytes".into()));
    }
    if inet {
        add(cx.state, file, is::NAMED);
    }
    if has(cx.state, to, is::CLOSED) {
        if !inet {
            if link(cx.state, file, Field::Peer) == Some(to) {
                // The socket is not connected any more, and what came from there is lost.
                set_link(cx.state, file, Field::Peer, None);
                let now = get(cx.state, file, Field::State);
                set(cx.state, file, Field::State, now & !is::CONNECTED);
                ring::drop_first(cx.state, file, table::length(cx.state, file));
            }
            return Ok(Err(ECONNREFUSED));
        }
        if link(cx.state, file, Field::Peer).is_some() {
            // The error that there is no receiver arrives after the datagram.
            set(cx.state, file, Field::Error, ECONNREFUSED as u64);
        }
        return Ok(Ok(Written::All(bytes.count)));
    }
    if let Some(only) = link(cx.state, to, Field::Peer)
        && only != file
    {
        // A connected socket receives datagrams from its peer only.
        return Ok(if inet {
            Ok(Written::All(bytes.count))
        } else {
            Err(EPERM)
        });
    }
    if has(cx.state, to, is::READ_SHUT) {
        return if inet {
            Ok(Ok(Written::All(bytes.count)))
        } else {
            nobody(cx)
        };
    }
    if ring::room(cx.state, to) < space(bytes.count) {
        if inet {
            let what = "more datagrams than fit into the buffer of a socket: some are lost";
            return Err(Flow::Unsupported(what.into()));
        }
        return Ok(Err(EAGAIN));
    }
    // If the sender gets an address later, it is not the address of this datagram.
    let sender = if inet || get(cx.state, file, Field::Address) != 0 {
        file
    } else {
        0
    };
    let header = bytes.count | u64::from(sender) << 32;
    let at = ring::place(cx.state, to, table::length(cx.state, to));
    cx.state.memory.poke_checked(at, HEADER, Value::new(header));
    let held = table::length(cx.state, to) + HEADER;
    table::set_length(cx.state, to, held);
    ring::put(cx, to, bytes.from, bytes.count);
    table::set_length(cx.state, to, held + space(bytes.count) - HEADER);
    Ok(Ok(Written::All(bytes.count)))
}

const _: () = assert!(DATAGRAM_SIZE.is_multiple_of(HEADER) && space(LONGEST) <= DATAGRAM_SIZE);

fn send_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return Ok(match look_part(cx, fd)? {
            Part::Act(action) => cancelable(cx, action),
            part => part,
        });
    }
    let (open, addressed) = (pinned(cx)?, cx.word(4)? != 0);
    let flags = flags(cx, DO_NOT_WAIT | NO_SIGNAL)?;
    if addressed && phase(cx) == Phase::LookedUp {
        if open.kind == Kind::Stream {
            return Err(Flow::Unsupported("sendto with an address on a stream".into()));
        }
        return Ok(Part::Act(table_action(cx, &open)));
    }
    let (from, count) = (cx.word(1)?, cx.word(2)?);
    let done = if addressed { 0 } else { note(cx) };
    access(cx, from.wrapping_add(done), count.saturating_sub(done), false)?;
    let action = if addressed {
        let to = (note(cx) as u32).checked_sub(1);
        keep_reached(cx, to);
        let action = on_file(cx, open.kind, open.file, Op::HiddenWait, MemoryOrder::Release);
        match to {
            Some(to) if to != open.file => Action {
                object2: HiddenObject::File(to).id(),
                ..action
            },
            _ => action,
        }
    } else {
        on_reached(cx, open.kind, open.file, Op::HiddenWait)
    };
    // A datagram with an address goes to another socket than the connected one, so the thread would
    // wait for the wrong socket.
    if waits(cx, &open, flags, Way::Out) && !addressed {
        wait_for(cx, Condition::Room(open.description().needed(count)));
    } else {
        cx.state.own_core(cx.thread).wait[1] = ObjectId::NONE;
    }
    Ok(cancelable(cx, action))
}

fn send_to(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, addressed) = (pinned(cx)?, cx.word(4)? != 0);
    let flags = flags(cx, DO_NOT_WAIT | NO_SIGNAL)?;
    if addressed && phase(cx) == Phase::LookedUp {
        return find_receiver(cx, &open);
    }
    let (from, count) = (cx.word(1)?, cx.word(2)?);
    let before = if addressed { 0 } else { note(cx) };
    if !addressed {
        still_reaches(cx, open.file)?;
    }
    let bytes = Bytes {
        from: from + before,
        count: count - before,
        whole: count,
        buffered: false,
    };
    let to = reached(cx);
    let sent = send(cx, &open, bytes, to, flags & NO_SIGNAL != 0)?;
    if flags & DO_NOT_WAIT == 0 {
        wait::waited(cx, &open, Way::Out, matches!(sent, Err(EAGAIN)));
    }
    match sent {
        Err(_) if before > 0 => Ok(After::Done(before, Outcome::Done)),
        Err(EAGAIN) if addressed && waits(cx, &open, flags, Way::Out) => Err(Flow::Unsupported(
            "waiting for room at the socket of an address".into(),
        )),
        Err(error) => refused(cx, error),
        Ok(Written::All(bytes)) => Ok(After::Done(before + bytes, Outcome::Done)),
        Ok(Written::Part(bytes)) if is_at_once(cx, &open, flags) => {
            Ok(After::Done(before + bytes, Outcome::Done))
        }
        Ok(Written::Part(bytes)) => {
            set_note(cx, before + bytes);
            Ok(After::Next(Phase::LookedUp, Outcome::Done))
        }
    }
}

/// Stores one more than the number of the receiving socket in `Core::note`.
fn find_receiver(cx: &mut Cx<'_>, open: &OpenFile) -> Performs {
    let given = match name::given_for(cx, 4, open.file)? {
        Ok(given) => given,
        Err(error) => return refused(cx, error),
    };
    match name::find(cx, Kind::Datagram, &given)? {
        Found::Socket(file) => {
            set_note(cx, u64::from(file) + 1);
            Ok(After::Next(Phase::PeerFound, Outcome::Done))
        }
        Found::OfOtherType => refused(cx, EPROTOTYPE),
        Found::Nothing => refused(cx, super::calls::MISSING),
        Found::Error(error) => refused(cx, error),
        Found::Closed if family(cx.state, open.file) == UNIX => refused(cx, ECONNREFUSED),
        Found::Closed => {
            let what = "a datagram to an address that no socket of the program has";
            Err(Flow::Unsupported(what.into()))
        }
    }
}

// ---- receiving
// -------------------------------------------------------------------------------------------------

fn receive_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return Ok(match look_part(cx, fd)? {
            Part::Act(action) => cancelable(cx, action),
            part => part,
        });
    }
    let (open, count) = (pinned(cx)?, cx.word(2)?);
    let flags = flags(cx, PEEK | TRUNCATED | DO_NOT_WAIT | WAIT_FOR_ALL | NO_SIGNAL)?;
    if open.kind == Kind::Stream && count == 0 {
        return Ok(Part::Done(0));
    }
    if open.kind == Kind::Stream && flags & TRUNCATED != 0 {
        return Err(Flow::Unsupported("MSG_TRUNC on a stream".into()));
    }
    if flags & (PEEK | WAIT_FOR_ALL) == PEEK | WAIT_FOR_ALL {
        return Err(Flow::Unsupported("MSG_PEEK with MSG_WAITALL".into()));
    }
    let mut action = on_file(cx, open.kind, open.file, Op::HiddenWait, MemoryOrder::Acquire);
    if waits(cx, &open, flags, Way::In) {
        wait_for(cx, Condition::Data);
        action.may_fail = is_open_to_others(cx.state, cx.thread);
    } else {
        cx.state.own_core(cx.thread).wait[1] = ObjectId::NONE;
    }
    Ok(cancelable(cx, action))
}

fn receive(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, to, count) = (pinned(cx)?, cx.word(1)?, cx.word(2)?);
    let flags = flags(cx, PEEK | TRUNCATED | DO_NOT_WAIT | WAIT_FOR_ALL | NO_SIGNAL)?;
    let (description, file) = (open.description(), open.file);
    let before = note(cx);
    let left = count - before;
    let available = description.available(cx.state, &open, left, None)?;
    let at_once = is_at_once(cx, &open, flags);
    if !at_once {
        wait::waited(cx, &open, Way::In, available == Err(EAGAIN));
    }
    let bytes = match available {
        Ok(bytes) => bytes,
        Err(_) if before > 0 => return Ok(After::Done(before, Outcome::Done)),
        Err(EAGAIN) if waits(cx, &open, flags, Way::In) => return Err(for_others(cx)),
        Err(error) => {
            take_error(cx.state, file);
            return refused(cx, error);
        }
    };
    access(cx, to + before, bytes, true)?;
    let datagram = if open.kind == Kind::Datagram {
        first_datagram(cx.state, file)
    } else {
        None
    };
    if flags & PEEK == 0 {
        description.read(cx, &open, to + before, bytes, None)?;
    } else {
        let at = if open.kind == Kind::Datagram { HEADER } else { 0 };
        ring::copy(cx, file, at, to + before, bytes);
    }
    if let Some((whole, sender)) = datagram {
        let (address, length) = (cx.word(4)?, cx.word(5)?);
        let from = if sender == 0 {
            0
        } else {
            name::address(cx.state, sender)?
        };
        if from == 0 && address != 0 {
            // The receiver is not told an address if the sender has none.
            store(cx, length, 4, 0)?;
        } else {
            name::put(cx, from, sender, address, length)?;
        }
        let told = if flags & TRUNCATED != 0 { whole } else { bytes };
        return Ok(After::Done(told, Outcome::Done));
    }
    let now = before + bytes;
    if open.kind == Kind::Stream && flags & WAIT_FOR_ALL != 0 && bytes > 0 && now < count && !at_once {
        set_note(cx, now);
        return Ok(After::Next(Phase::LookedUp, Outcome::Done));
    }
    Ok(After::Done(now, Outcome::Done))
}

// ---- shutdown
// -------------------------------------------------------------------------------------------------

fn shut_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return look_part(cx, fd);
    }
    let open = pinned(cx)?;
    Ok(Part::Act(on_reached(cx, open.kind, open.file, Op::Hidden)))
}

fn shut(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, how) = (pinned(cx)?, cx.int(1)?);
    let file = open.file;
    still_reaches(cx, file)?;
    let (reading, writing) = match how {
        0 => (true, false),
        1 => (false, true),
        2 => (true, true),
        _ => return refused(cx, EINVAL),
    };
    let listening = has(cx.state, file, is::LISTENING);
    if !listening && !has(cx.state, file, is::CONNECTED) {
        return refused(cx, ENOTCONN);
    }
    if listening && !reading {
        return Err(Flow::Unsupported(
            "shutting down the writing of a socket that listens".into(),
        ));
    }
    let over = open.kind == Kind::Stream && !listening && is_over(cx.state, file);
    if reading {
        add(cx.state, file, is::READ_SHUT);
    }
    if writing {
        add(cx.state, file, is::WRITE_SHUT);
    }
    let peer = if open.kind == Kind::Stream {
        link(cx.state, file, Field::Peer)
    } else {
        None
    };
    if let Some(peer) = peer {
        if writing {
            add(cx.state, peer, is::ENDED);
        }
        if reading && family(cx.state, file) == UNIX {
            add(cx.state, peer, is::UNREAD);
        }
    }
    if over {
        return refused(cx, ENOTCONN);
    }
    Ok(After::Done(0, Outcome::Done))
}
