//! Addresses of sockets.

use super::{Field, INET, UNIX, family, get, has, is};
use crate::libc::files::buffer::{access, store};
use crate::libc::files::content;
use crate::libc::files::entries;
use crate::libc::files::errno::{EAFNOSUPPORT, EINVAL};
use crate::libc::files::names;
use crate::libc::files::table::{self, Kind};
use crate::native::{Cx, Flow, Stop};
use crate::state::State;

/// An address that the program specifies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Name {
    /// A path; if the first byte is 0, an abstract name.
    Path(Vec<u8>),
    /// An address and a port of IPv4.
    Inet(u32, u16),
}

/// Marks a word that is an IPv4 address. Any other word that is not 0 is the address of an object
/// with a path.
const IS_INET: u64 = 1 << 63;
/// The first port of those that follow from the number of a socket.
const FIRST_PORT: u32 = 32_768;
/// The number of files that have such a port.
const PORTS: u32 = 28_000;
pub(super) const ANY: u32 = 0;
pub(super) const LOOPBACK: u32 = 0x7f00_0001;

impl Name {
    pub fn family(&self) -> u64 {
        match self {
            Name::Path(_) => UNIX,
            Name::Inet(..) => INET,
        }
    }

    /// The address as a word.
    pub fn word(&self, cx: &mut Cx<'_>) -> Result<u64, Stop> {
        match self {
            Name::Inet(address, port) => Ok(inet(*address, *port)),
            Name::Path(path) => {
                let base = content::allocate(cx, path.len() as u64)?;
                entries::poke(cx.state, base, path);
                Ok(base)
            }
        }
    }
}

/// An IPv4 address as a word.
pub(super) fn inet(address: u32, port: u16) -> u64 {
    IS_INET | u64::from(address) << 16 | u64::from(port)
}

/// The IPv4 address and port in a word.
pub(super) fn of_inet(word: u64) -> Option<(u32, u16)> {
    (word & IS_INET != 0).then_some(((word >> 16) as u32, word as u16))
}

/// The path in a word.
fn path(state: &State, base: u64) -> Vec<u8> {
    let size = state.memory.object_at(base).map_or(0, |(_, object)| object.size);
    let bytes = (0..size).map(|at| state.memory.peek_checked(base + at, 1).bits as u8);
    bytes.collect()
}

/// The port of a socket that was not bound to a port.
pub(super) fn own_port(file: u32) -> Result<u16, Stop> {
    if file >= PORTS {
        return Err(Flow::Unsupported("more sockets than there are ports".into()));
    }
    Ok((FIRST_PORT + file) as u16)
}

/// A socket's address as a word; 0 if it has none.
pub(super) fn address(state: &State, file: u32) -> Result<u64, Stop> {
    let word = get(state, file, Field::Address);
    if word == 0 && has(state, file, is::NAMED) {
        return Ok(inet(LOOPBACK, own_port(file)?));
    }
    Ok(word)
}

/// The address at argument `at`, followed by its length. The inner error is an error number.
fn given(cx: &mut Cx<'_>, at: usize) -> Result<Result<Name, i32>, Stop> {
    let (address, length) = (cx.word(at)?, u64::from(cx.int(at + 1)? as u32));
    if !(2..=128).contains(&length) {
        return Ok(Err(EINVAL));
    }
    access(cx, address, length, false)?;
    let what = "address of a socket";
    match cx.load_defined(address, 2, what)? {
        UNIX if length <= 110 => {
            let mut path = Vec::new();
            for at in 2..length {
                path.push(cx.load_defined(address + at, 1, what)? as u8);
                // A path ends at its first zero byte; an abstract name includes all of its bytes.
                if path.len() > 1 && path[0] != 0 && path.ends_with(&[0]) {
                    path.pop();
                    break;
                }
            }
            if path.is_empty() || path == [0] {
                return Err(Flow::Unsupported(
                    "binding a socket to a name that the system chooses".into(),
                ));
            }
            Ok(Ok(Name::Path(path)))
        }
        INET if length >= 16 => {
            let port = (cx.load_defined(address + 2, 2, what)? as u16).swap_bytes();
            let host = (cx.load_defined(address + 4, 4, what)? as u32).swap_bytes();
            Ok(Ok(Name::Inet(host, port)))
        }
        UNIX | INET => Ok(Err(EINVAL)),
        10 => Ok(Err(EAFNOSUPPORT)),
        0 => Err(Flow::Unsupported("an address of the family AF_UNSPEC".into())),
        family => Err(Flow::Unsupported(format!("an address of family {family}"))),
    }
}

/// The address for a socket. An address of another family is refused.
pub(super) fn given_for(cx: &mut Cx<'_>, at: usize, file: u32) -> Result<Result<Name, i32>, Stop> {
    let given = given(cx, at)?;
    let family = family(cx.state, file);
    Ok(given.and_then(|name| match (name.family() == family, family) {
        (true, _) => Ok(name),
        (false, INET) => Err(EAFNOSUPPORT),
        (false, _) => Err(EINVAL),
    }))
}

/// Writes an address to the program's memory, as far as there is room.
pub(super) fn put(cx: &mut Cx<'_>, word: u64, of: u32, to: u64, length: u64) -> Result<(), Stop> {
    if to == 0 {
        return Ok(());
    }
    let room = cx.load_defined(length, 4, "length of a socket's address")?;
    let mut bytes: Vec<u8> = Vec::new();
    match of_inet(word) {
        Some((host, port)) => {
            bytes.extend((INET as u16).to_le_bytes());
            bytes.extend(port.to_be_bytes());
            bytes.extend(host.to_be_bytes());
            bytes.extend([0; 8]);
        }
        None if family(cx.state, of) == INET => {
            bytes.extend((INET as u16).to_le_bytes());
            bytes.extend([0; 14]);
        }
        None => {
            bytes.extend((UNIX as u16).to_le_bytes());
            if word != 0 {
                bytes.extend(path(cx.state, word));
                if bytes[2] != 0 {
                    bytes.push(0);
                }
            }
        }
    }
    let written = bytes.len().min(room as usize);
    access(cx, to, written as u64, true)?;
    entries::poke(cx.state, to, &bytes[..written]);
    store(cx, length, 4, bytes.len() as u64)
}

/// Finds the socket of a kind at an address, which receives connections or datagrams to that
/// address. To be called in an action on the table of descriptors and names.
pub(super) fn find(cx: &Cx<'_>, kind: Kind, name: &Name) -> Result<Found, Stop> {
    let state = &*cx.state;
    match name {
        Name::Path(path) if path[0] != 0 => Ok(match names::resolve(cx, path, names::Link::Follow)? {
            names::Found::File(file, ..) => match table::kind(state, file) {
                found if found == kind => Found::Socket(file),
                Kind::Stream | Kind::Datagram => Found::OfOtherType,
                _ => Found::Closed,
            },
            names::Found::Device(_) | names::Found::Directory(..) => Found::Closed,
            names::Found::Nothing(_) => Found::Nothing,
            names::Found::Error(error) => Found::Error(error),
        }),
        Name::Path(name) => {
            let same = |&file: &u32| {
                let word = get(state, file, Field::Address);
                is_open(state, file) && family(state, file) == UNIX && word != 0 && path(state, word) == *name
            };
            Ok(match table::files(state).find(same) {
                Some(file) if table::kind(state, file) == kind => Found::Socket(file),
                Some(_) => Found::OfOtherType,
                None => Found::Closed,
            })
        }
        Name::Inet(host, port) => {
            if *host != ANY && host >> 24 != 127 {
                return Err(Flow::Unsupported(
                    "a connection or datagram to another machine".into(),
                ));
            }
            let host = if *host == ANY { LOOPBACK } else { *host };
            let same = |&file: &u32| {
                let listens = kind == Kind::Datagram || has(state, file, is::LISTENING);
                let own = of_inet(get(state, file, Field::Address))
                    .or_else(|| own_port(file).ok().map(|port| (LOOPBACK, port)));
                is_open(state, file)
                    && table::kind(state, file) == kind
                    && family(state, file) == INET
                    && listens
                    && own.is_some_and(|(at, p)| p == *port && (at == ANY || at == host))
            };
            Ok(table::files(state)
                .find(same)
                .map_or(Found::Closed, Found::Socket))
        }
    }
}

/// The result of looking up an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// This socket.
    Socket(u32),
    /// A socket of another type.
    OfOtherType,
    /// No socket, or a file that is not a socket.
    Closed,
    /// No such file.
    Nothing,
    /// The path is invalid.
    Error(i32),
}

/// Whether a file is a socket that a descriptor refers to.
pub(super) fn is_open(state: &State, file: u32) -> bool {
    matches!(table::kind(state, file), Kind::Stream | Kind::Datagram) && !has(state, file, is::CLOSED)
}

/// Whether a port that the program requests may be the automatic port of another socket that was
/// not bound.
pub(super) fn may_be_given(state: &State, port: u16, to: u32) -> bool {
    let file = u32::from(port).checked_sub(FIRST_PORT);
    let may = |file| {
        let bound = get(state, file, Field::Address) != 0;
        file != to && table::files(state).contains(&file) && family(state, file) == INET && !bound
    };
    file.is_some_and(may)
}
