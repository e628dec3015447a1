//! getsockname, getpeername, setsockopt, getsockopt.

use super::calls::{REUSE, looks};
use super::{
    Field, LONGEST_TIME, RECEIVE_TIME, SEND_TIME, UNIX, family, get, has, is, is_over, link, name, set,
    take_error,
};
use crate::libc::files::action::on_file;
use crate::libc::files::buffer::{access, store};
use crate::libc::files::errno::{EDOM, EINVAL, ENOPROTOOPT, ENOTCONN, EOPNOTSUPP};
use crate::libc::files::lookup::{look_part, pinned};
use crate::libc::files::operation::{After, Part, Parted, Performs, operation, phase, refused};
use crate::libc::files::pin::in_use;
use crate::libc::files::table::{Kind, OpenFile};
use crate::native::{Cx, Flow, Native};
use crate::phase::Phase;
use selvedge_model::{MemoryOrder, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "getsockname" => operation!(part, own_name),
        "getpeername" => operation!(part, peer_name),
        "setsockopt" => operation!(part, set_option),
        "getsockopt" => operation!(part, get_option),
        _ => return None,
    })
}

fn part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return look_part(cx, fd);
    }
    let open = pinned(cx)?;
    let action = on_file(cx, open.kind, open.file, Op::Hidden, MemoryOrder::NotAtomic);
    Ok(Part::Act(action))
}

fn own_name(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (file, to, length) = (pinned(cx)?.file, cx.word(1)?, cx.word(2)?);
    let mut word = name::address(cx.state, file)?;
    if let Some((name::ANY, port)) = name::of_inet(word)
        && has(cx.state, file, is::CONNECTED)
    {
        word = name::inet(name::LOOPBACK, port);
    }
    name::put(cx, word, file, to, length)?;
    Ok(After::Done(0, Outcome::Done))
}

fn peer_name(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, to, length) = (pinned(cx)?, cx.word(1)?, cx.word(2)?);
    let file = open.file;
    let Some(peer) = link(cx.state, file, Field::Peer) else {
        return refused(cx, ENOTCONN);
    };
    if open.kind == Kind::Datagram {
        return Err(Flow::Unsupported("getpeername of a datagram socket".into()));
    }
    if is_over(cx.state, file) {
        return refused(cx, ENOTCONN);
    }
    let word = get(cx.state, file, Field::PeerAddress);
    name::put(cx, word, peer, to, length)?;
    Ok(After::Done(0, Outcome::Done))
}

// ---- options
// -------------------------------------------------------------------------------------------------

const SOCKET: i32 = 1;
/// Options that no system has (`lib/signal_interrupted.c`).
const ASKS_RECEIVE_TIME: i32 = 0x5e1d_0014;
const ASKS_SEND_TIME: i32 = 0x5e1d_0015;
const TCP: i32 = 6;

/// An option of level `SOL_SOCKET`, or of TCP.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Option_ {
    /// A flag, stored as this bit.
    Flag(u64),
    /// `SO_TYPE`.
    Type,
    /// `SO_ERROR`.
    Error,
    /// `SO_LINGER`.
    Linger,
    /// `SO_ACCEPTCONN`.
    Listens,
    /// `SO_DOMAIN`.
    Family,
    /// `SO_SNDBUF`, `SO_RCVBUF`: a requested size.
    Size,
    /// `SO_RCVTIMEO`, `SO_SNDTIMEO`: a time-out, stored from this bit on.
    Time(u32),
    /// Of this tool's own C functions: whether there is a time-out, stored from this bit on.
    HasTime(u32),
    /// Of TCP: when packets are sent and checked, which no program sees here.
    Hint,
}

fn option(cx: &mut Cx<'_>) -> Result<Option_, crate::native::Stop> {
    let (level, name) = (cx.int(1)?, cx.int(2)?);
    Ok(match (level, name) {
        (SOCKET, 2) => Option_::Flag(REUSE),
        (SOCKET, 3) => Option_::Type,
        (SOCKET, 4) => Option_::Error,
        (SOCKET, 6) => Option_::Flag(1 << 6),
        (SOCKET, 7 | 8) => Option_::Size,
        (SOCKET, 9) => Option_::Flag(1 << 9),
        (SOCKET, 13) => Option_::Linger,
        (SOCKET, 20) => Option_::Time(RECEIVE_TIME),
        (SOCKET, 21) => Option_::Time(SEND_TIME),
        (SOCKET, ASKS_RECEIVE_TIME) => Option_::HasTime(RECEIVE_TIME),
        (SOCKET, ASKS_SEND_TIME) => Option_::HasTime(SEND_TIME),
        (SOCKET, 30) => Option_::Listens,
        (SOCKET, 39) => Option_::Family,
        (TCP, 1) => Option_::Flag(1 << 32),
        // TCP_CORK, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_QUICKACK, TCP_USER_TIMEOUT
        (TCP, 3..=6 | 12 | 18) => Option_::Hint,
        _ => {
            return Err(Flow::Unsupported(format!("{} of a socket", named(level, name))));
        }
    })
}

/// An option that is not modelled.
fn named(level: i32, name: i32) -> String {
    let known = match (level, name) {
        (SOCKET, 1) => "SO_DEBUG",
        (SOCKET, 5) => "SO_DONTROUTE",
        (SOCKET, 10) => "SO_OOBINLINE",
        (SOCKET, 12) => "SO_PRIORITY",
        (SOCKET, 15) => "SO_REUSEPORT",
        (SOCKET, 16) => "SO_PASSCRED",
        (SOCKET, 17) => "SO_PEERCRED",
        (SOCKET, 18) => "SO_RCVLOWAT",
        (SOCKET, 19) => "SO_SNDLOWAT",
        (SOCKET, 25) => "SO_BINDTODEVICE",
        (SOCKET, 29) => "SO_TIMESTAMP",
        (SOCKET, 36) => "SO_MARK",
        (SOCKET, 38) => "SO_PROTOCOL",
        (SOCKET, 46) => "SO_BUSY_POLL",
        (TCP, 2) => "TCP_MAXSEG",
        (TCP, 9) => "TCP_DEFER_ACCEPT",
        (TCP, 11) => "TCP_INFO",
        (TCP, 13) => "TCP_CONGESTION",
        (TCP, 23) => "TCP_FASTOPEN",
        _ => return format!("option {name} of level {level}"),
    };
    known.to_owned()
}

fn set_option(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, option) = (pinned(cx)?, option(cx)?);
    let file = open.file;
    let (at, length) = (cx.word(3)?, cx.int(4)?);
    if length < 4 || option == Option_::Linger && length < 8 {
        return refused(cx, EINVAL);
    }
    if let Option_::Time(shift) = option {
        return set_time(cx, &open, (at, length), shift);
    }
    access(cx, at, 4, false)?;
    let value = cx.load_defined(at, 4, "option of a socket")? as u32;
    let of_tcp = match option {
        Option_::Flag(bit) => bit >> 32 != 0,
        option => option == Option_::Hint,
    };
    if of_tcp && family(cx.state, file) == UNIX {
        return refused(cx, EOPNOTSUPP);
    }
    if of_tcp && open.kind != Kind::Stream {
        return refused(cx, ENOPROTOOPT);
    }
    match option {
        Option_::Flag(bit) => {
            let now = get(cx.state, file, Field::Options) & !bit;
            let new = if value != 0 { now | bit } else { now };
            set(cx.state, file, Field::Options, new);
        }
        Option_::Linger if value != 0 => {
            return Err(Flow::Unsupported("SO_LINGER".into()));
        }
        // The numbers of TCP_KEEPIDLE, TCP_KEEPINTVL and TCP_KEEPCNT are at least 1.
        Option_::Hint if matches!(cx.int(2)?, 4..=6) && (value as i32) < 1 => return refused(cx, EINVAL),
        Option_::Linger | Option_::Size | Option_::Hint => {}
        _ => return refused(cx, ENOPROTOOPT),
    }
    Ok(After::Done(0, Outcome::Done))
}

/// Sets a time-out; 0 is none. With `--timeouts off` there is none either.
fn set_time(cx: &mut Cx<'_>, open: &OpenFile, (at, length): (u64, i32), shift: u32) -> Performs {
    if length < 16 {
        return refused(cx, EINVAL);
    }
    access(cx, at, 16, false)?;
    let seconds = cx.load_defined(at, 8, "time-out")?;
    let parts = cx.load_defined(at + 8, 8, "time-out")?;
    if parts >= 1_000_000 {
        return refused(cx, EDOM);
    }
    let time = seconds.saturating_add(u64::from(parts > 0));
    if time > LONGEST_TIME {
        let what = "a time-out of a socket that is negative or longer than 4,095 seconds";
        return Err(Flow::Unsupported(what.into()));
    }
    if in_use(cx, open.number) {
        // Who waits already keeps the time-out that it began with.
        let what = "setting the time-out of a socket that another thread is using";
        return Err(Flow::Unsupported(what.into()));
    }
    let file = open.file;
    let time = if cx.program.options.timeouts { time } else { 0 };
    let others = get(cx.state, file, Field::Options) & !(LONGEST_TIME << shift);
    set(cx.state, file, Field::Options, others | time << shift);
    Ok(After::Done(0, Outcome::Done))
}

fn get_option(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, option) = (pinned(cx)?, option(cx)?);
    let file = open.file;
    let (to, length) = (cx.word(3)?, cx.word(4)?);
    access(cx, length, 4, false)?;
    let room = cx.load_defined(length, 4, "length of an option")? as u32;
    let value = match option {
        Option_::Flag(bit) => u64::from(get(cx.state, file, Field::Options) & bit != 0),
        Option_::Type => {
            if open.kind == Kind::Stream {
                1
            } else {
                2
            }
        }
        Option_::Error => take_error(cx.state, file).unwrap_or(0) as u64,
        Option_::Listens => u64::from(has(cx.state, file, is::LISTENING)),
        Option_::Family => family(cx.state, file),
        Option_::Size => return Err(Flow::Unsupported("the size of a socket's buffers".into())),
        Option_::Linger => return Err(Flow::Unsupported("SO_LINGER".into())),
        Option_::Hint => return Err(Flow::Unsupported("asking for an option of TCP".into())),
        Option_::HasTime(shift) => {
            u64::from(get(cx.state, file, Field::Options) >> shift & LONGEST_TIME != 0)
        }
        Option_::Time(_) => return Err(Flow::Unsupported("asking for the time-out of a socket".into())),
    };
    if room < 4 {
        return Err(Flow::Unsupported("a part of an option's value".into()));
    }
    store(cx, to, 4, value)?;
    store(cx, length, 4, 4)?;
    Ok(After::Done(0, Outcome::Done))
}
