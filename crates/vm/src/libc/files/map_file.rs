//! `mmap`, of files and of new memory.
//!
//! A mapping has the bytes that the file had when the mapping was made. Whether a private one shows
//! later changes of the file is not said by POSIX; a shared one shows them, so the file must not
//! change any more. A file that is mapped as a whole, shared and for writing, is that mapping from
//! then on: nothing else may use its bytes. What is mapped for reading only is a constant.
//! Operations on the file and the mapping order nothing.
//!
//! Unsupported: predicate dependence, whose facts take every mapping for new memory, a second
//! mapping of a file that is mapped for writing, pages behind the end of the file, and anything but
//! regular files.

use super::action::hidden;
use super::errno::{EACCES, EBADF, EINVAL};
use super::kinds::{MAPPED, MAPPED_FOR_WRITING};
use super::lookup::{look, look_part, pinned};
use super::operation::{After, Part, Parted, Performs, operation, phase, refused};
use super::table::{self, Kind};
use crate::hidden::HiddenObject;
use crate::libc::map::{self, ANONYMOUS, PAGE, pages};
use crate::native::{Cx, Flow, Native};
use crate::phase::Phase;
use crate::word::FileField;
use selvedge_model::Outcome;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "mmap" | "mmap64" => operation!(part, perform),
        _ => return None,
    })
}

const READ: i32 = 1;
const READ_WRITE: i32 = 3;
const SHARED: i32 = 1;
const PRIVATE: i32 = 2;
/// `MAP_NORESERVE`, `MAP_POPULATE`: flags without an effect.
const NO_EFFECT: i32 = 0x4000 | 0x8000;

fn part(cx: &mut Cx<'_>) -> Parted {
    if cx.word(1)? == 0 || cx.int(3)? & ANONYMOUS != 0 {
        return match map::anonymous(cx)? {
            Flow::Return(value) => Ok(Part::Done(value.bits)),
            flow => Err(flow),
        };
    }
    if phase(cx) == Phase::First {
        let fd = cx.int(4)?;
        return look_part(cx, fd);
    }
    let file = pinned(cx)?.file;
    Ok(Part::Act(hidden(cx, HiddenObject::File(file))))
}

fn perform(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        let fd = cx.int(4)?;
        return match look(cx, fd) {
            Some(_) => Ok(After::Next(Phase::LookedUp, Outcome::Done)),
            None => refused(cx, EBADF),
        };
    }
    let open = pinned(cx)?;
    let (length, protection, flags, offset) = (cx.word(1)?, cx.int(2)?, cx.int(3)?, cx.word(5)?);
    if offset % PAGE != 0 {
        return refused(cx, EINVAL);
    }
    if flags & !NO_EFFECT != SHARED && flags & !NO_EFFECT != PRIVATE {
        return unsupported(&format!("mmap with flags {flags:#x}"));
    }
    if protection != READ && protection != READ_WRITE {
        return unsupported(&format!("mmap of a file with protection {protection}"));
    }
    if open.kind != Kind::Regular {
        return unsupported(&format!("mmap of {}", open.description().what()));
    }
    let (shared, writes) = (flags & SHARED != 0, protection == READ_WRITE);
    if !open.readable || shared && writes && !open.writable {
        return refused(cx, EACCES);
    }
    let known = table::field(cx.state, open.file, FileField::Start);
    if known == MAPPED_FOR_WRITING || known == MAPPED && shared && writes {
        return unsupported("several mappings of a file, one of them for writing (MAP_SHARED)");
    }
    if cx.program.options.points.is_some() {
        return unsupported("mmap of a file with --dependence predicate");
    }
    let there = table::length(cx.state, open.file).saturating_sub(offset);
    let size = pages(length).filter(|&size| Some(size) <= pages(there));
    let Some(size) = size else {
        return unsupported("mmap of pages behind the end of a file");
    };
    if shared && writes && (offset != 0 || pages(there) != Some(size)) {
        return unsupported("mmap of a part of a file for writing (MAP_SHARED)");
    }
    let Some(base) = cx.map_file(size, writes)? else {
        return unsupported("mmap of more than the machine can hold");
    };
    let from = table::content(cx.state, open.file) + offset;
    cx.state.memory.copy(base, from, there.min(size));
    if shared {
        let how = if writes { MAPPED_FOR_WRITING } else { MAPPED };
        table::set_field(cx.state, open.file, FileField::Start, how);
    }
    Ok(After::Done(base, Outcome::Done))
}

fn unsupported(what: &str) -> Performs {
    Err(Flow::Unsupported(what.into()))
}
