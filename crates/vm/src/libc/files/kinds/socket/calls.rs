//! socket, socketpair, bind, listen.

use super::name::{self, ANY, Name};
use super::{
    DATAGRAM_SIZE, Field, INET, STREAM_SIZE, UNIX, add, family, get, has, is, is_socket, set, set_link,
};
use crate::hidden::HiddenObject;
use crate::libc::files::action::{hidden, object_of};
use crate::libc::files::buffer::store;
use crate::libc::files::content::{self, NONBLOCK, too_many};
use crate::libc::files::entries;
use crate::libc::files::errno::{
    EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, EBADF, EINVAL, EMFILE, ENOENT, ENOTSOCK, EOPNOTSUPP,
    EPROTONOSUPPORT,
};
use crate::libc::files::kinds::ring;
use crate::libc::files::lookup::{look, look_part, pinned};
use crate::libc::files::names::{self, Found, Link};
use crate::libc::files::open::{self, How};
use crate::libc::files::operation::{After, Part, Parted, Performs, alone, operation, phase, refused};
use crate::libc::files::table::{self, Kind, OpenFile};
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use selvedge_model::{Action, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "socket" => operation!(make_part, |cx| make(cx, 0)),
        "__selvedge_peer_socket" => operation!(make_part, |cx| make(cx, OF_PEERS)),
        "socketpair" => operation!(pair_part, pair),
        "bind" => operation!(table_part, bind),
        "listen" => operation!(table_part, listen),
        _ => return None,
    })
}

const CLOSE_ON_EXEC: u32 = content::CLOSE_ON_EXEC as u32;
const TCP: i32 = 6;
const UDP: i32 = 17;

/// The arguments of `socket` and `socketpair`: family, kind, flags. The inner error is an error
/// number.
fn asked(cx: &mut Cx<'_>) -> Result<Result<(u64, Kind, u64), i32>, Stop> {
    let (family, kind, protocol) = (cx.int(0)?, cx.int(1)? as u32, cx.int(2)?);
    let flags = kind & (CLOSE_ON_EXEC | NONBLOCK as u32);
    let of = match kind & !flags {
        1 => Kind::Stream,
        2 => Kind::Datagram,
        other => return Err(Flow::Unsupported(format!("a socket of type {other}"))),
    };
    let family = match family {
        1 => UNIX,
        2 => INET,
        10 => return Ok(Err(EAFNOSUPPORT)),
        other => return Err(Flow::Unsupported(format!("a socket of family {other}"))),
    };
    let fits = match (family, of) {
        _ if protocol == 0 => true,
        (UNIX, _) => protocol == 1,
        (_, Kind::Stream) => protocol == TCP,
        _ => protocol == UDP,
    };
    Ok(if fits {
        Ok((family, of, u64::from(flags)))
    } else {
        Err(EPROTONOSUPPORT)
    })
}

/// A new socket.
pub(super) fn new(cx: &mut Cx<'_>, family: u64, kind: Kind) -> Result<u32, Stop> {
    let file = table::new_file(cx.state, kind, 0o777).ok_or_else(too_many)?;
    set(cx.state, file, Field::Family, family);
    if kind == Kind::Datagram {
        ring::make(cx, file, DATAGRAM_SIZE)?;
    }
    Ok(file)
}

fn make_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        return Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)));
    }
    open::install_part(cx)
}

/// The least descriptor of a peer of the model library.
pub(super) const OF_PEERS: u32 = table::MAX_DESCRIPTORS;

fn make(cx: &mut Cx<'_>, least: u32) -> Performs {
    if phase(cx) != Phase::First {
        let fd = open::install(cx, false)?;
        return Ok(After::Done(u64::from(fd), Outcome::Done));
    }
    let (family, kind, flags) = match asked(cx)? {
        Ok(asked) => asked,
        Err(error) => return refused(cx, error),
    };
    let file = new(cx, family, kind)?;
    match open::reserve_from(cx, file, How::unnamed(flags), least)? {
        Ok(()) => Ok(After::Next(Phase::Reserved, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

// ---- socketpair
// -------------------------------------------------------------------------------------------------

/// The contents of `Core::note`: two descriptors and the first open file. The second open file has
/// the next number.
fn numbers(cx: &Cx<'_>) -> [u32; 3] {
    let note = cx.state.thread(cx.thread).core.note;
    [
        note as u32 & 0xffff,
        (note >> 16) as u32 & 0xffff,
        (note >> 32) as u32,
    ]
}

fn pair_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        return Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)));
    }
    let [one, two, _] = numbers(cx);
    Ok(Part::Act(Action {
        object2: HiddenObject::Descriptor(two).id(),
        ..hidden(cx, HiddenObject::Descriptor(one))
    }))
}

fn pair(cx: &mut Cx<'_>) -> Performs {
    let out = cx.word(3)?;
    if phase(cx) != Phase::First {
        let [one, two, open] = numbers(cx);
        table::set_descriptor(cx.state, one, Some(open));
        table::set_descriptor(cx.state, two, Some(open + 1));
        let closes = cx.int(1)? as u32 & CLOSE_ON_EXEC != 0;
        table::set_closes_on_exec(cx.state, one, closes);
        table::set_closes_on_exec(cx.state, two, closes);
        store(cx, out, 4, u64::from(one))?;
        store(cx, out + 4, 4, u64::from(two))?;
        return Ok(After::Done(0, Outcome::Done));
    }
    let (family, kind, flags) = match asked(cx)? {
        Ok(asked) => asked,
        Err(error) => return refused(cx, error),
    };
    if family != UNIX {
        return refused(cx, EOPNOTSUPP);
    }
    let Some(one) = table::reserve(cx.state, 0) else {
        return refused(cx, EMFILE);
    };
    let Some(two) = table::reserve(cx.state, 0) else {
        table::release_number(cx.state, one);
        return refused(cx, EMFILE);
    };
    let files = [new(cx, family, kind)?, new(cx, family, kind)?];
    let mut open = 0;
    for (file, peer) in [(files[0], files[1]), (files[1], files[0])] {
        if kind == Kind::Stream {
            ring::make(cx, file, STREAM_SIZE)?;
        }
        add(cx.state, file, is::CONNECTED);
        set_link(cx.state, file, Field::Peer, Some(peer));
        open = table::new_open_file(cx.state, file, true, true).ok_or_else(too_many)?;
        if flags & NONBLOCK != 0 {
            table::set_flags(cx.state, open, NONBLOCK);
        }
    }
    let note = u64::from(one) | u64::from(two) << 16 | u64::from(open - 1) << 32;
    cx.state.own_core(cx.thread).note = note;
    Ok(After::Next(Phase::Reserved, Outcome::Done))
}

// ---- bind and listen
// -------------------------------------------------------------------------------------------------

/// A look-up, followed by an action on the table of names and on the socket.
pub(super) fn table_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return look_part(cx, fd);
    }
    let open = pinned(cx)?;
    Ok(Part::Act(table_action(cx, &open)))
}

/// An action on the table of names and on a socket.
pub(super) fn table_action(cx: &Cx<'_>, open: &OpenFile) -> Action {
    Action {
        object2: object_of(cx, open.kind, open.file),
        ..hidden(cx, HiddenObject::Descriptors)
    }
}

/// The first part of an operation on the socket in argument 0.
pub(super) fn looks(cx: &mut Cx<'_>) -> Performs {
    let fd = cx.int(0)?;
    match look(cx, fd) {
        Some(open) if is_socket(&open) => Ok(After::Next(Phase::LookedUp, Outcome::Done)),
        Some(_) => refused(cx, ENOTSOCK),
        None => refused(cx, EBADF),
    }
}

/// `SO_REUSEADDR`, as a bit of `SocketField::Options`.
pub(super) const REUSE: u64 = 1 << 2;

fn bind(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let file = pinned(cx)?.file;
    let given = match name::given_for(cx, 1, file)? {
        Ok(given) => given,
        Err(error) => return refused(cx, error),
    };
    let bound = name::address(cx.state, file)? != 0;
    match &given {
        Name::Path(path) if path[0] != 0 => match names::resolve(cx, path, Link::Keep)? {
            Found::Nothing(_) if bound => return refused(cx, EINVAL),
            Found::Nothing(place) => {
                if let Some(error) = names::may_change(cx.state, place.directory) {
                    return refused(cx, error);
                }
                entries::give(cx, place.directory, &place.name, file)?;
            }
            Found::Error(error) => return refused(cx, error),
            Found::File(..) | Found::Device(_) | Found::Directory(..) => return refused(cx, EADDRINUSE),
        },
        _ if bound => return refused(cx, EINVAL),
        Name::Path(_) => match name::find(cx, table::kind(cx.state, file), &given)? {
            name::Found::Closed => {}
            name::Found::Socket(other) => {
                settled(cx, other)?;
                return refused(cx, EADDRINUSE);
            }
            _ => return refused(cx, EADDRINUSE),
        },
        Name::Inet(host, port) => {
            if *host != ANY && host >> 24 != 127 {
                return refused(cx, EADDRNOTAVAIL);
            }
            if let Some(error) = taken(cx, file, *host, *port)? {
                return refused(cx, error);
            }
        }
    }
    let word = match given {
        Name::Inet(host, 0) => name::inet(host, name::own_port(file)?),
        given => given.word(cx)?,
    };
    set(cx.state, file, Field::Address, word);
    Ok(After::Done(0, Outcome::Done))
}

/// Unsupported if closing socket `other`, which releases its address, is not an action on the
/// table. This is the case for a stream socket that does not listen, while there are several
/// threads.
fn settled(cx: &Cx<'_>, other: u32) -> Result<(), Stop> {
    let stream = table::kind(cx.state, other) == Kind::Stream;
    if stream && !has(cx.state, other, is::LISTENING) && !alone(cx) {
        let what = "binding a socket to the address of one that does not listen, with several threads";
        return Err(Flow::Unsupported(what.into()));
    }
    Ok(())
}

/// The error number if another socket already has the port.
fn taken(cx: &Cx<'_>, file: u32, host: u32, port: u16) -> Result<Option<i32>, Stop> {
    if port == 0 {
        return Ok(None);
    }
    let state = &*cx.state;
    if name::may_be_given(state, port, file) {
        let what = "binding a socket to a port that the system may have given to another one";
        return Err(Flow::Unsupported(what.into()));
    }
    let reuse = |file| get(state, file, Field::Options) & REUSE != 0;
    for other in table::files(state) {
        if other == file
            || table::kind(state, other) != table::kind(state, file)
            || has(state, other, is::ACCEPTED)
        {
            continue;
        }
        let Some((at, _)) = name::of_inet(get(state, other, Field::Address)).filter(|it| it.1 == port) else {
            continue;
        };
        if at != ANY && host != ANY && at != host {
            continue;
        }
        settled(cx, other)?;
        if has(state, other, is::CLOSED) {
            if has(state, other, is::LISTENING) && !reuse(file) {
                let what = "binding a port on which a closed socket had listened, without SO_REUSEADDR";
                return Err(Flow::Unsupported(what.into()));
            }
            continue;
        }
        if reuse(file) && reuse(other) && !has(state, other, is::LISTENING) {
            return Err(Flow::Unsupported("two sockets that are bound to one port".into()));
        }
        return Ok(Some(EADDRINUSE));
    }
    Ok(None)
}

/// The maximum number of waiting connections on Linux.
const MOST_WAITING: u32 = 4096;

fn listen(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, backlog) = (pinned(cx)?, cx.int(1)? as u32);
    let file = open.file;
    if open.kind != Kind::Stream {
        return refused(cx, EOPNOTSUPP);
    }
    if has(cx.state, file, is::CONNECTED) {
        return refused(cx, EINVAL);
    }
    if family(cx.state, file) == UNIX && get(cx.state, file, Field::Address) == 0 {
        return refused(cx, EINVAL);
    }
    if get(cx.state, file, Field::Address) == 0 {
        let port = name::own_port(file)?;
        set(cx.state, file, Field::Address, name::inet(ANY, port));
    }
    add(cx.state, file, is::LISTENING);
    set(
        cx.state,
        file,
        Field::Backlog,
        u64::from(backlog.min(MOST_WAITING)),
    );
    Ok(After::Done(0, Outcome::Done))
}

/// The error number for a path without a socket.
pub(super) const MISSING: i32 = ENOENT;
