//! Memory from the system: `mmap` and related functions.
//!
//! A mapping is an object of whole pages, all zeros. Its address is a multiple of its size, rounded
//! up to a power of two. It ends as a whole. Only new memory that may be read and written can be
//! mapped. Files, fixed addresses, other protections, and parts of mappings are unsupported, except
//! a first page without access. Advice without an effect is accepted.

use super::{Answer, alloc, plain};
use crate::memory::{Kind, Life};
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Stop, Visible};

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "mmap" | "mmap64" => plain!(mmap),
        "munmap" => Native::Visible(Visible {
            prepare: |cx| {
                let address = cx.word(0);
                alloc::prepare(cx, address, munmap)
            },
            perform: |cx, _| alloc::perform(cx, munmap),
            numbers: ALL_ARGUMENTS,
        }),
        "mprotect" => plain!(mprotect),
        "madvise" => plain!(madvise),
        _ => return None,
    })
}

const PAGE: u64 = 4096;
const EINVAL: i32 = 22;
const ENOMEM: i32 = 12;
/// `PROT_READ | PROT_WRITE`.
const READ_WRITE: i32 = 3;
/// The supported flags: `MAP_SHARED`, `MAP_PRIVATE`, `MAP_ANONYMOUS`, `MAP_NORESERVE`,
/// `MAP_POPULATE`, `MAP_STACK`.
const FLAGS: i32 = 0x1 | 0x2 | ANONYMOUS | 0x4000 | 0x8000 | 0x2_0000;
const ANONYMOUS: i32 = 0x20;

fn unsupported(what: &str) -> Stop {
    Flow::Unsupported(what.into())
}

fn pages(bytes: u64) -> Option<u64> {
    bytes.checked_next_multiple_of(PAGE)
}

fn failed(cx: &mut Cx<'_>, error: i32) -> Answer {
    cx.set_errno(error)?;
    Ok(Flow::word(u64::MAX))
}

fn mmap(cx: &mut Cx<'_>) -> Answer {
    let (length, protection, flags) = (cx.word(1)?, cx.int(2)?, cx.int(3)?);
    if length == 0 {
        return failed(cx, EINVAL);
    }
    if flags & ANONYMOUS == 0 {
        return Err(unsupported("mmap of a file"));
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
        let mapped = object.kind == Kind::Heap && object.name == cx.program.mapping;
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

fn madvise(cx: &mut Cx<'_>) -> Answer {
    match cx.int(2)? {
        // MADV_NORMAL, _RANDOM, _SEQUENTIAL, _WILLNEED, _HUGEPAGE, _NOHUGEPAGE, _DONTDUMP, _DODUMP
        0..=3 | 14..=17 => Ok(Flow::int(0)),
        advice => Err(unsupported(&format!("madvise with advice {advice}"))),
    }
}
