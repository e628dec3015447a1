//! The contents of a pipe or of one direction of a socket: a ring buffer in an object of memory.
//!
//! `FileField::Content` is the object, `Start` the position of the first byte, and `Length` the
//! number of bytes.

use crate::libc::files::content;
use crate::libc::files::table;
use crate::native::{Cx, Stop};
use crate::state::State;
use crate::word::FileField;

/// Makes a ring of `size` bytes for a file.
pub(super) fn make(cx: &mut Cx<'_>, file: u32, size: u64) -> Result<(), Stop> {
    let content = content::allocate(cx, size)?;
    table::set_content(cx.state, file, content);
    Ok(())
}

/// The size of a file's ring.
fn size(state: &State, file: u32) -> u64 {
    let base = table::content(state, file);
    state.memory.object_at(base).map_or(0, |(_, object)| object.size)
}

/// The number of free bytes.
pub(super) fn room(state: &State, file: u32) -> u64 {
    size(state, file) - table::length(state, file)
}

/// The address of the byte at distance `at` from the first one.
pub(super) fn place(state: &State, file: u32, at: u64) -> u64 {
    let start = table::field(state, file, FileField::Start);
    table::content(state, file) + (start + at) % size(state, file)
}

/// Copies bytes from the ring to checked memory, starting `at` bytes after the first one. The ring
/// keeps the bytes.
pub(super) fn copy(cx: &mut Cx<'_>, file: u32, at: u64, to: u64, bytes: u64) {
    if bytes == 0 {
        return;
    }
    let content = table::content(cx.state, file);
    let from = place(cx.state, file, at);
    let first = bytes.min(content + size(cx.state, file) - from);
    cx.state.memory.copy(to, from, first);
    cx.state.memory.copy(to + first, content, bytes - first);
}

/// Removes the first bytes.
pub(super) fn drop_first(state: &mut State, file: u32, bytes: u64) {
    let held = table::length(state, file);
    let start = table::field(state, file, FileField::Start);
    // An empty ring starts again at position 0. This makes more equivalent states equal.
    let next = if bytes == held {
        0
    } else {
        (start + bytes) % size(state, file)
    };
    if next != start {
        table::set_field(state, file, FileField::Start, next);
    }
    table::set_length(state, file, held - bytes);
}

/// Moves the first bytes to memory.
pub(super) fn take(cx: &mut Cx<'_>, file: u32, to: u64, bytes: u64) {
    copy(cx, file, 0, to, bytes);
    drop_first(cx.state, file, bytes);
}

/// Appends bytes from checked memory. There must be room for them.
pub(super) fn put(cx: &mut Cx<'_>, file: u32, from: u64, count: u64) {
    if count == 0 {
        return;
    }
    let (content, held) = (table::content(cx.state, file), table::length(cx.state, file));
    let to = place(cx.state, file, held);
    let first = count.min(content + size(cx.state, file) - to);
    cx.state.memory.copy(to, from, first);
    cx.state.memory.copy(content, from + first, count - first);
    table::set_length(cx.state, file, held + count);
}
