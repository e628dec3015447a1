//! Contents of files and pipes.
//!
//! A regular file has an object of memory that is replaced by a larger one when it grows; bytes
//! behind its length are zero. A pipe has a ring of 65,536 bytes, as on Linux; writes of up to
//! 4,096 bytes are never split. (Linux counts pages, of which a small write may fill one; the model
//! counts bytes.)

use super::table::{self, Kind, OpenFile};
use crate::memory::{Kind as MemoryKind, Life, Object, Site};
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use crate::value::Value;
use selvedge_model::LimitKind;

/// Bytes that a pipe holds.
pub(super) const PIPE_SIZE: u64 = 65_536;
/// Bytes that a write to a pipe never splits.
pub(super) const PIPE_BUF: u64 = 4096;
/// Largest file.
const LARGEST: u64 = 1 << 26;
/// `O_NONBLOCK` and `O_APPEND` on Linux.
pub(super) const NONBLOCK: u64 = 0o4000;
pub(super) const APPEND: u64 = 0o2000;

fn waits(state: &State, open: &OpenFile) -> bool {
    table::flags(state, open.number) & NONBLOCK == 0
}

/// Whether reading gets something, or an answer that says that there is nothing.
pub(super) fn has_data(state: &State, open: &OpenFile) -> bool {
    !waits(state, open) || readable(state, open)
}

/// Whether there are bytes to read, or the end.
pub(super) fn readable(state: &State, open: &OpenFile) -> bool {
    open.kind != Kind::Pipe || table::length(state, open.file) > 0 || table::writers(state, open.file) == 0
}

/// Whether writing so many bytes does something, or answers that it cannot.
pub(super) fn has_room(state: &State, open: &OpenFile, bytes: u64) -> bool {
    !waits(state, open)
        || open.kind != Kind::Pipe
        || table::readers(state, open.file) == 0
        || room(state, open) >= bytes
}

/// Free bytes of a pipe.
pub(super) fn room(state: &State, open: &OpenFile) -> u64 {
    PIPE_SIZE - table::length(state, open.file)
}

/// A hidden object for contents.
pub(super) fn hidden_object(size: u64, made: Site) -> Object {
    Object {
        size,
        kind: MemoryKind::Global,
        life: Life::Live,
        zeroed: true,
        name: 0,
        made,
        ended: Site::default(),
    }
}

/// A new hidden object of the acting thread.
pub(super) fn allocate(cx: &mut Cx<'_>, size: u64) -> Result<u64, Stop> {
    let object = hidden_object(size, cx.site);
    let region = cx.state.thread(cx.thread).region;
    cx.state.memory.allocate(region, object, 16).map_err(|_| {
        Flow::Limit(
            LimitKind::Memory,
            "more contents of files than the machine can hold".into(),
        )
    })
}

/// Makes room for `size` bytes in a regular file.
fn grow(cx: &mut Cx<'_>, file: u32, size: u64) -> Result<u64, Stop> {
    let old = table::content(cx.state, file);
    let capacity = match cx.state.memory.object_at(old) {
        Some((_, object)) if old != 0 => object.size,
        _ => 0,
    };
    if size <= capacity {
        return Ok(old);
    }
    if size > LARGEST {
        return Err(Flow::Limit(
            LimitKind::Memory,
            format!("a file of {size} bytes is more than the machine can hold"),
        ));
    }
    let new = allocate(cx, size.max(2 * capacity).max(64))?;
    if old != 0 {
        cx.state.memory.copy(new, old, table::length(cx.state, file));
        let site = cx.site;
        cx.state.memory.end_object(old, Life::Freed, site);
    }
    table::set_content(cx.state, file, new);
    Ok(new)
}

/// How many of `count` bytes reading gets; for what has a position, from there.
pub(super) fn available(state: &State, open: &OpenFile, count: u64, position: u64) -> u64 {
    let length = table::length(state, open.file);
    match open.kind {
        Kind::Regular => count.min(length.saturating_sub(position)),
        Kind::Pipe => count.min(length),
        Kind::Zero => count,
        Kind::Null | Kind::Output => 0,
    }
}

/// Reads bytes that are available into memory, already checked.
pub(super) fn read_at(cx: &mut Cx<'_>, open: &OpenFile, to: u64, bytes: u64, position: u64) {
    match open.kind {
        Kind::Regular => {
            let from = table::content(cx.state, open.file) + position;
            cx.state.memory.copy(to, from, bytes);
        }
        Kind::Pipe => take(cx, open, to, bytes),
        Kind::Zero => cx.state.memory.fill(to, bytes, Value::new(0)),
        Kind::Null | Kind::Output => {}
    }
}

/// Takes bytes out of a pipe.
fn take(cx: &mut Cx<'_>, open: &OpenFile, to: u64, bytes: u64) {
    let (file, held) = (open.file, table::length(cx.state, open.file));
    let (content, start) = (table::content(cx.state, file), table::start(cx.state, file));
    let first = bytes.min(PIPE_SIZE - start);
    cx.state.memory.copy(to, content + start, first);
    cx.state.memory.copy(to + first, content, bytes - first);
    // An empty pipe begins anew: fewer states that are the same to the program.
    let next = if bytes == held {
        0
    } else {
        (start + bytes) % PIPE_SIZE
    };
    if next != start {
        table::set_start(cx.state, file, next);
    }
    table::set_length(cx.state, file, held - bytes);
}

/// Writes bytes of memory, already checked, at a position of a regular file.
pub(super) fn write_at(cx: &mut Cx<'_>, file: u32, from: u64, count: u64, position: u64) -> Result<(), Stop> {
    if count == 0 {
        return Ok(());
    }
    let end = position.saturating_add(count);
    let content = grow(cx, file, end)?;
    cx.state.memory.copy(content + position, from, count);
    if end > table::length(cx.state, file) {
        table::set_length(cx.state, file, end);
    }
    Ok(())
}

/// Cuts a regular file off, or extends it by zeros.
pub(super) fn truncate(cx: &mut Cx<'_>, file: u32, length: u64) -> Result<(), Stop> {
    let old = table::length(cx.state, file);
    if length > old {
        grow(cx, file, length)?;
    } else if length < old {
        let content = table::content(cx.state, file);
        cx.state
            .memory
            .fill(content + length, old - length, Value::new(0));
    }
    if length != old {
        table::set_length(cx.state, file, length);
    }
    Ok(())
}

/// Puts bytes of memory, already checked, into a pipe that has room for them.
pub(super) fn put(cx: &mut Cx<'_>, open: &OpenFile, from: u64, count: u64) {
    let (file, held) = (open.file, table::length(cx.state, open.file));
    let (content, start) = (table::content(cx.state, file), table::start(cx.state, file));
    let at = (start + held) % PIPE_SIZE;
    let first = count.min(PIPE_SIZE - at);
    cx.state.memory.copy(content + at, from, first);
    cx.state.memory.copy(content, from + first, count - first);
    table::set_length(cx.state, file, held + count);
}
