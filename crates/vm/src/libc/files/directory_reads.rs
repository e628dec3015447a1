//! Reading an open directory: `__selvedge_getdents`, as the system call `getdents64`.
//!
//! One call returns as many entries as fit, all of one moment. They come in the order of the
//! [entries](super::entries): `.`, `..`, then the order in which the names were first created.

use super::buffer;
use super::entries;
use super::errno::{EBADF, EINVAL, ENOENT, ENOTDIR};
use super::lookup::{look, look_part, pinned};
use super::operation::{After, Part, Parted, Performs, operation, phase, refused};
use super::status::status_action;
use super::system::MACHINE;
use super::table::{self, Kind};
use crate::native::{Cx, Flow, Native};
use crate::phase::Phase;
use crate::state::State;
use selvedge_model::Outcome;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "__selvedge_getdents" => operation!(part, perform),
        _ => return None,
    })
}

fn part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return look_part(cx, fd);
    }
    let open = pinned(cx)?;
    Ok(Part::Act(status_action(cx, open.file)))
}

fn perform(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return match look(cx, fd) {
            Some(open) if open.kind == Kind::Directory => Ok(After::Next(Phase::LookedUp, Outcome::Done)),
            Some(_) => refused(cx, ENOTDIR),
            None => refused(cx, EBADF),
        };
    }
    let (open, to, size) = (pinned(cx)?, cx.word(1)?, cx.word(2)?);
    if MACHINE.contains(&open.file) {
        return Err(Flow::Unsupported(
            "reading the directory /dev, /proc or /sys".into(),
        ));
    }
    if entries::parent(cx.state, open.file).is_none() {
        // It was removed.
        return refused(cx, ENOENT);
    }
    let (mut place, mut bytes) = (table::position(cx.state, open.number), Vec::new());
    while let Some((at, name, file)) = entry(cx.state, open.file, place) {
        let record = record(cx.state, at + 1, &name, file);
        if (bytes.len() + record.len()) as u64 > size {
            if bytes.is_empty() {
                return refused(cx, EINVAL);
            }
            break;
        }
        bytes.extend(record);
        place = at + 1;
    }
    buffer::access(cx, to, bytes.len() as u64, true)?;
    entries::poke(cx.state, to, &bytes);
    table::set_position(cx.state, open.number, place);
    Ok(After::Done(bytes.len() as u64, Outcome::Done))
}

/// The entry at a place or behind it, including `.` and `..`.
fn entry(state: &State, directory: u32, place: u64) -> Option<(u64, Vec<u8>, u32)> {
    match place {
        0 => Some((0, b".".to_vec(), directory)),
        1 => Some((1, b"..".to_vec(), entries::parent(state, directory)?.0)),
        _ => entries::from_place(state, directory, place),
    }
}

/// A `struct dirent` as long as its name needs, a multiple of 8 bytes.
fn record(state: &State, next: u64, name: &[u8], file: u32) -> Vec<u8> {
    /// Where the name is.
    const NAME: usize = 19;
    let kind = match table::kind(state, file) {
        Kind::Directory => 4,
        Kind::Link => 10,
        Kind::Stream | Kind::Datagram => 12,
        _ => 8,
    };
    let length = (NAME + name.len() + 1).next_multiple_of(8);
    let mut record = Vec::with_capacity(length);
    record.extend(u64::from(file).to_le_bytes());
    record.extend(next.to_le_bytes());
    record.extend((length as u16).to_le_bytes());
    record.push(kind);
    record.extend(name);
    record.resize(length, 0);
    record
}
