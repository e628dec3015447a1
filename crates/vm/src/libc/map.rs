//! Memory from the system: `mmap` and related functions.
//!
//! A mapping is an object of whole pages, all zeros (those of files: `files/map_file.rs`). Its
//! address is a multiple of its size, rounded up to a power of two. It ends as a whole; fixed
//! addresses and the end of parts of mappings are unsupported. Pages may be read and written, only
//! read, or not accessed (`memory/protection.rs`).
//!
//! `mprotect` is no action: it counts as a write of the pages that it changes, so that an access
//! without an order is a race. Whether it changes a page must then not depend on the order of
//! threads: beside other threads, a call that changes only some of its pages is unsupported. So is
//! each call there under visibility `memory`, where accesses are actions that have to find a
//! dependent one. The same holds for advice with an effect. Other advice is accepted.

use super::{Answer, alloc, plain};
use crate::memory::{Kind, Life, Maker, Object, Refused};
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
const NO_ACCESS: i32 = 0;
const READ: i32 = 1;
/// `PROT_READ | PROT_WRITE`.
const READ_WRITE: i32 = 3;
/// The supported flags: `MAP_SHARED`, `MAP_PRIVATE`, `MAP_ANONYMOUS`, `MAP_NORESERVE`,
/// `MAP_POPULATE`, `MAP_STACK`.
const FLAGS: i32 = 0x1 | 0x2 | ANONYMOUS | 0x4000 | 0x8000 | 0x2_0000;
pub(super) const ANONYMOUS: i32 = 0x20;
const SHARED: i32 = 0x1;
/// `MADV_DONTNEED` and `MADV_FREE`.
const DISCARD: i32 = 4;
const FREE: i32 = 8;

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
    let refused = refused(protection, "mmap")?;
    let by = match flags & SHARED {
        0 => Maker::Anonymous,
        _ => Maker::Other,
    };
    let Some(size) = pages(length).filter(|&size| size <= i64::MAX as u64) else {
        return failed(cx, ENOMEM);
    };
    match cx.map(size, by)? {
        Some(base) => {
            cx.state.memory.protect(base, 0..size / PAGE, refused);
            Ok(Flow::word(base))
        }
        None => failed(cx, ENOMEM),
    }
}

/// What pages refuse that have a protection.
fn refused(protection: i32, what: &str) -> Result<Option<Refused>, Stop> {
    match protection {
        NO_ACCESS => Ok(Some(Refused::All)),
        READ => Ok(Some(Refused::Writes)),
        READ_WRITE => Ok(None),
        _ => Err(unsupported(&format!("{what} with protection {protection:#x}"))),
    }
}

/// The live mapping of new memory, or of a file's bytes for writing, in which whole pages lie.
fn mapping_around(cx: &Cx<'_>, address: u64, size: u64) -> Option<(u64, Object)> {
    let (base, object) = cx.state.memory.object_at(address)?;
    let is_mapping = object.kind == Kind::Heap && object.name == cx.program.mapping;
    let is_inside = (address - base)
        .checked_add(size)
        .is_some_and(|end| end <= object.size);
    (is_mapping && object.life == Life::Live && is_inside).then_some((base, object))
}

/// Whether changes that are no actions cannot be ordered among the accesses of other threads.
fn has_no_order(cx: &Cx<'_>) -> bool {
    let options = &cx.program.options;
    !cx.state.is_lone() && (options.visibility.includes_plain() || options.points.is_some())
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

fn mprotect(cx: &mut Cx<'_>) -> Answer {
    let (address, length, protection) = (cx.word(0)?, cx.word(1)?, cx.int(2)?);
    if address % PAGE != 0 {
        return failed(cx, EINVAL);
    }
    if length == 0 {
        return Ok(Flow::int(0));
    }
    let found = cx.state.memory.object_at(address);
    let (Some((_, object)), Some(size)) = (found, pages(length)) else {
        return failed(cx, ENOMEM);
    };
    let refused = refused(protection, "mprotect")?;
    let Some((base, object)) = mapping_around(cx, address, size) else {
        let keeps = refused.is_none() && object.kind != Kind::Constant;
        return match keeps && object.life == Life::Live && object.name != cx.program.mapping {
            true => Ok(Flow::int(0)),
            false => Err(unsupported("mprotect of anything but pages of one mapping")),
        };
    };
    let first = (address - base) / PAGE;
    let wanted = first..first + size / PAGE;
    let changed = cx
        .state
        .memory
        .protected_otherwise(&object, wanted.clone(), refused);
    if !cx.state.is_lone() && changed.iter().map(|run| run.end - run.start).sum::<u64>() != size / PAGE {
        let what = "mprotect that does not change all of its pages, beside other threads";
        return Err(unsupported(what));
    }
    if has_no_order(cx) {
        let what = "mprotect beside other threads, under visibility memory or --dependence predicate";
        return Err(unsupported(what));
    }
    let site = cx.site;
    for run in changed {
        let (from, size) = (base + run.start * PAGE, (run.end - run.start) * PAGE);
        cx.state.memory.record(from, size, true, site);
    }
    cx.state.memory.protect(base, wanted, refused);
    Ok(Flow::int(0))
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
    let plain = object.filter(|(_, object)| object.kind == Kind::Heap && object.protection == 0);
    let Some((_, object)) = plain.filter(|_| is_mapping(cx, old, length)) else {
        return Err(unsupported(
            "mremap of anything but a whole mapping that may be read and written",
        ));
    };
    let (from, to) = (pages(length), pages(new).filter(|&size| size <= i64::MAX as u64));
    if from == to {
        return Ok(Flow::word(old));
    }
    let made = match to {
        Some(size) => cx.map(size, object.by)?,
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
        advice @ (DISCARD | FREE) => discard(cx, advice),
        advice => Err(unsupported(&format!("madvise with advice {advice}"))),
    }
}

/// `MADV_DONTNEED`: the pages of private new memory are zeros again. After `MADV_FREE` nobody knows
/// whether they are, until they are written. Their protection stays.
fn discard(cx: &mut Cx<'_>, advice: i32) -> Answer {
    let (address, length) = (cx.word(0)?, cx.word(1)?);
    if address % PAGE != 0 {
        return failed(cx, EINVAL);
    }
    if length == 0 {
        return Ok(Flow::int(0));
    }
    let size = pages(length).unwrap_or(u64::MAX);
    if mapping_around(cx, address, size).is_none_or(|(_, object)| object.by != Maker::Anonymous) {
        let name = advice_name(advice);
        let what = format!("madvise with {name} of anything but private new memory of one mapping");
        return Err(unsupported(&what));
    }
    if has_no_order(cx) {
        let name = advice_name(advice);
        let what = format!(
            "madvise with {name} beside other threads, under visibility memory or --dependence predicate"
        );
        return Err(unsupported(&what));
    }
    let site = cx.site;
    cx.state.memory.note_written(address, size, site);
    cx.state.memory.record(address, size, true, site);
    match advice {
        FREE => cx.state.memory.forget_pages(address, size),
        _ => cx.state.memory.clear_pages(address, size),
    }
    Ok(Flow::int(0))
}

const fn advice_name(advice: i32) -> &'static str {
    match advice {
        FREE => "MADV_FREE",
        _ => "MADV_DONTNEED",
    }
}
