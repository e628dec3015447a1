//! Memory from the system: `mmap` and related functions.
//!
//! A mapping is an object of whole pages, all zeros (those of files: `files/map_file.rs`). Its
//! address is a multiple of its size, rounded up to a power of two. It ends as a whole. Only new
//! memory that may be read and written can be mapped. Fixed addresses, other protections, and parts
//! of mappings are unsupported, except a first page without access. Advice without an effect is
//! accepted.

use super::{Answer, alloc, plain};
use crate::memory::{Kind, Life};
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Stop, Visible};

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "munmap" => Native::Visible(Visible {
            prepare: |cx| {
                let address = cx.word(0);
                alloc::prepare(cx, address, munmap)
            },
            perform: |cx, _| alloc::perform(cx, munmap),
            numbers: ALL_ARGUMENTS,
        }),
        "mprotect" => plain!(mprotect),
        "mremap" => Native::Visible(Visible {
            prepare: |cx| {
                let address = cx.word(0);
                alloc::prepare(cx, address, mremap)
            },
            perform: |cx, _| alloc::perform(cx, mremap),
            numbers: ALL_ARGUMENTS,
        }),
        "madvise" => plain!(madvise),
        _ => return None,
    })
}

pub(super) const PAGE: u64 = 4096;
const EINVAL: i32 = 22;
const ENOMEM: i32 = 12;
/// `PROT_READ | PROT_WRITE`.
const READ_WRITE: i32 = 3;
/// The supported flags: `MAP_SHARED`, `MAP_PRIVATE`, `MAP_ANONYMOUS`, `MAP_NORESERVE`,
/// `MAP_POPULATE`, `MAP_STACK`.
const FLAGS: i32 = 0x1 | 0x2 | ANONYMOUS | 0x4000 | 0x8000 | 0x2_0000;
pub(super) const ANONYMOUS: i32 = 0x20;

fn unsupported(what: &str) -> Stop {
    Flow::Unsupported(what.into())
}

/// A number of bytes, rounded up to whole pages.
pub(super) fn pages(bytes: u64) -> Option<u64> {
    bytes.checked_next_multiple_of(PAGE)
}

fn failed(cx: &mut Cx<'_>, error: i32) -> Answer {
    cx.set_errno(error)?;
    Ok(Flow::word(u64::MAX))
}

/// `mmap` of new memory, or of none.
pub(super) fn anonymous(cx: &mut Cx<'_>) -> Answer {
    let (length, protection, flags) = (cx.word(1)?, cx.int(2)?, cx.int(3)?);
    if length == 0 {
        return failed(cx, EINVAL);
    }
    if flags & !FLAGS != 0 {
        return Err(unsupported(&format!("mmap with flags {flags:#x}")));
    }
    if protection != READ_WRITE {
        return Err(unsupported("mmap of memory that may not be read and written"));
    }
    let size = pages(length).filter(|&size| size <= i64::MAX as u64);
    let object = match size {
        Some(size) => cx.map(size)?,
        None => None,
    };
    match object {
        Some(base) => Ok(Flow::word(base)),
        None => failed(cx, ENOMEM),
    }
}

/// Whether a range is exactly one live mapping.
fn is_mapping(cx: &Cx<'_>, address: u64, length: u64) -> bool {
    cx.state.memory.object_at(address).is_some_and(|(base, object)| {
        let mapped = matches!(object.kind, Kind::Heap | Kind::Constant) && object.name == cx.program.mapping;
        mapped && object.life == Life::Live && base == address && pages(length) == Some(object.size)
    })
}

fn munmap(cx: &mut Cx<'_>) -> Answer {
    let (address, length) = (cx.word(0)?, cx.word(1)?);
    if length == 0 || address % PAGE != 0 {
        return failed(cx, EINVAL);
    }
    if !is_mapping(cx, address, length) {
        return Err(unsupported("munmap of anything but a whole mapping"));
    }
    let object = cx.state.memory.object_at(address);
    if object.is_some_and(|(_, object)| object.kind == Kind::Constant) && !cx.state.is_lone() {
        // Reading a constant is no action. Where accesses are none at all, a use after the end is
        // a race.
        if cx.program.options.visibility.includes_plain() {
            let what =
                "munmap of a file that is mapped for reading, beside other threads, under visibility memory";
            return Err(unsupported(what));
        }
    }
    let site = cx.site;
    let size = pages(length).unwrap_or(length);
    cx.state.memory.record(address, size, true, site);
    cx.state.end_object(cx.thread, address, Life::Freed, site);
    Ok(Flow::int(0))
}

/// Supports one use: removing all access to the first page of a mapping, which is the guard page
/// below a stack.
fn mprotect(cx: &mut Cx<'_>) -> Answer {
    let (address, length, protection) = (cx.word(0)?, cx.word(1)?, cx.int(2)?);
    if address % PAGE != 0 {
        return failed(cx, EINVAL);
    }
    let Some((base, object)) = cx.state.memory.object_at(address) else {
        return match length {
            0 => Ok(Flow::int(0)),
            _ => failed(cx, ENOMEM),
        };
    };
    let is_guard = is_mapping(cx, address, object.size) && object.size > PAGE && pages(length) == Some(PAGE);
    match protection {
        0 if is_guard => {
            let site = cx.site;
            cx.state.memory.record(base, PAGE, true, site);
            cx.state.memory.protect(base, true);
            Ok(Flow::int(0))
        }
        READ_WRITE if object.guard() > 0 => {
            if !is_guard {
                return Err(unsupported("mprotect of more than the page that was protected"));
            }
            cx.state.memory.protect(base, false);
            Ok(Flow::int(0))
        }
        READ_WRITE => Ok(Flow::int(0)),
        _ => Err(unsupported("mprotect that takes away reading or writing")),
    }
}

/// A mapping of another size is a new one, with a copy of the bytes.
fn mremap(cx: &mut Cx<'_>) -> Answer {
    const MAY_MOVE: i32 = 1;
    let (old, length, new, flags) = (cx.word(0)?, cx.word(1)?, cx.word(2)?, cx.int(3)?);
    if new == 0 || old % PAGE != 0 {
        return failed(cx, EINVAL);
    }
    if flags != MAY_MOVE {
        return Err(unsupported(&format!("mremap with flags {flags:#x}")));
    }
    let object = cx.state.memory.object_at(old);
    let plain = object.is_some_and(|(_, object)| object.kind == Kind::Heap && object.guard() == 0);
    if !is_mapping(cx, old, length) || !plain {
        return Err(unsupported(
            "mremap of anything but a whole mapping of new memory",
        ));
    }
    let (from, to) = (pages(length), pages(new).filter(|&size| size <= i64::MAX as u64));
    if from == to {
        return Ok(Flow::word(old));
    }
    let made = match to {
        Some(size) => cx.map(size)?,
        None => None,
    };
    let Some(base) = made else {
        return failed(cx, ENOMEM);
    };
    super::string::copy(cx, base, old, from.min(to).unwrap_or(0))?;
    let site = cx.site;
    cx.state.memory.record(old, from.unwrap_or(0), true, site);
    cx.state.end_object(cx.thread, old, Life::Freed, site);
    Ok(Flow::word(base))
}

fn madvise(cx: &mut Cx<'_>) -> Answer {
    match cx.int(2)? {
        // MADV_NORMAL, _RANDOM, _SEQUENTIAL, _WILLNEED, _HUGEPAGE, _NOHUGEPAGE, _DONTDUMP, _DODUMP
        0..=3 | 14..=17 => Ok(Flow::int(0)),
        advice => Err(unsupported(&format!("madvise with advice {advice}"))),
    }
}
