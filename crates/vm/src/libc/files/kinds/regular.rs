//! Regular files: bytes with a length.
//!
//! The contents of a file are in an object of memory. When the file grows, a larger object replaces
//! it. Bytes after the file's length are zero. Operations on a regular file never wait and order
//! nothing.

use crate::libc::files::content::{self, APPEND};
use crate::libc::files::description::{Answer, Bytes, FileDescription, Readiness, Status, Written};
use crate::libc::files::entries;
use crate::libc::files::errno::EINVAL;
use crate::libc::files::table::{self, OpenFile};
use crate::memory::Life;
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use crate::value::Value;
use crate::word::FileField;
use selvedge_model::{LimitKind, ObjectId};

/// The kind of regular files.
pub(in crate::libc::files) const REGULAR: Regular = Regular;

/// Regular files; see the documentation of the module.
pub(in crate::libc::files) struct Regular;

/// What `FileField::Start` says of a file that was mapped: changes of it would show in the mapping.
pub(in crate::libc::files) const MAPPED: u64 = 1;
/// The bytes of the file are those of the mapping.
pub(in crate::libc::files) const MAPPED_FOR_WRITING: u64 = 2;

/// The largest size of a file.
const LARGEST: u64 = 1 << 26;
/// The flag that Linux adds for a file that a 64-bit program opened.
const LARGE_FILE: u64 = 0o100_000;

impl FileDescription for Regular {
    fn what(&self) -> &'static str {
        "a regular file"
    }

    fn woken_by(&self, _: u32) -> Option<ObjectId> {
        None
    }

    fn ready(&self, _: &State, _: &OpenFile) -> Result<Readiness, Stop> {
        Ok(Readiness {
            readable: true,
            writable: true,
            ..Readiness::default()
        })
    }

    fn emptied(&self, cx: &mut Cx<'_>, file: u32) -> Result<(), Stop> {
        truncate(cx, file, 0)
    }

    fn constant_flags(&self) -> u64 {
        LARGE_FILE
    }

    fn takes_positions(&self) -> bool {
        true
    }

    fn available(&self, state: &State, open: &OpenFile, count: u64, at: Option<u64>) -> Answer<u64> {
        let position = at.unwrap_or_else(|| table::position(state, open.number));
        let length = table::length(state, open.file);
        Ok(Ok(count.min(length.saturating_sub(position))))
    }

    fn read(
        &self,
        cx: &mut Cx<'_>,
        open: &OpenFile,
        to: u64,
        bytes: u64,
        at: Option<u64>,
    ) -> Result<(), Stop> {
        if table::field(cx.state, open.file, FileField::Start) == MAPPED_FOR_WRITING {
            return Err(self.unsupported("reading, after it was mapped for writing (MAP_SHARED),"));
        }
        let position = at.unwrap_or_else(|| table::position(cx.state, open.number));
        let from = table::content(cx.state, open.file) + position;
        cx.state.memory.copy(to, from, bytes);
        if at.is_none() && bytes > 0 {
            table::set_position(cx.state, open.number, position + bytes);
        }
        Ok(())
    }

    fn write(&self, cx: &mut Cx<'_>, open: &OpenFile, bytes: Bytes, at: Option<u64>) -> Answer<Written> {
        // With O_APPEND, Linux appends at every position.
        let position = match at {
            Some(at) if table::flags(cx.state, open.number) & APPEND == 0 => at,
            _ => write_position(cx, open),
        };
        write_at(cx, open.file, bytes.from, bytes.count, position)?;
        if at.is_none() {
            table::set_position(cx.state, open.number, position + bytes.count);
        }
        Ok(Ok(Written::All(bytes.count)))
    }

    fn print(&self, cx: &mut Cx<'_>, open: &OpenFile, text: &[u8]) -> Result<(), Stop> {
        let (position, length) = (write_position(cx, open), text.len() as u64);
        let buffer = content::allocate(cx, length)?;
        entries::poke(cx.state, buffer, text);
        write_at(cx, open.file, buffer, length, position)?;
        table::set_position(cx.state, open.number, position + length);
        Ok(())
    }

    fn seek(&self, cx: &mut Cx<'_>, open: &OpenFile, offset: i64, whence: i32) -> Answer<u64> {
        let base = match whence {
            0 => 0,
            1 => table::position(cx.state, open.number),
            2 => table::length(cx.state, open.file),
            _ => return Ok(Err(EINVAL)),
        };
        let position = (base as i64).checked_add(offset);
        let Some(position) = position.and_then(|p| u64::try_from(p).ok()) else {
            return Ok(Err(EINVAL));
        };
        table::set_position(cx.state, open.number, position);
        Ok(Ok(position))
    }

    fn truncate(&self, cx: &mut Cx<'_>, open: &OpenFile, length: u64) -> Answer<()> {
        truncate(cx, open.file, length)?;
        Ok(Ok(()))
    }

    fn synchronise(&self) -> Answer<()> {
        Ok(Ok(()))
    }

    fn status(&self, state: &State, file: u32) -> Result<Status, Stop> {
        Ok(Status {
            format: 0o100_000,
            length: table::length(state, file),
        })
    }
}

/// The position of a write that specifies none.
fn write_position(cx: &Cx<'_>, open: &OpenFile) -> u64 {
    if table::flags(cx.state, open.number) & APPEND != 0 {
        table::length(cx.state, open.file)
    } else {
        table::position(cx.state, open.number)
    }
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
    let new = content::allocate(cx, size.max(2 * capacity).max(64))?;
    if old != 0 {
        cx.state.memory.copy(new, old, table::length(cx.state, file));
        let site = cx.site;
        cx.state.memory.end_object(old, Life::Freed, site);
    }
    table::set_content(cx.state, file, new);
    Ok(new)
}

/// Writes bytes from checked memory at a position of a regular file.
pub(super) fn write_at(cx: &mut Cx<'_>, file: u32, from: u64, count: u64, position: u64) -> Result<(), Stop> {
    if count == 0 {
        return Ok(());
    }
    may_change(cx, file)?;
    let end = position.saturating_add(count);
    let content = grow(cx, file, end)?;
    cx.state.memory.copy(content + position, from, count);
    if end > table::length(cx.state, file) {
        table::set_length(cx.state, file, end);
    }
    Ok(())
}

/// Truncates a regular file, or extends it with zeros.
pub(in crate::libc::files) fn truncate(cx: &mut Cx<'_>, file: u32, length: u64) -> Result<(), Stop> {
    let old = table::length(cx.state, file);
    if length != old {
        may_change(cx, file)?;
    }
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

/// Unsupported if a shared mapping shows changes of a file.
fn may_change(cx: &Cx<'_>, file: u32) -> Result<(), Stop> {
    match table::field(cx.state, file, FileField::Start) {
        0 => Ok(()),
        _ => Err(Flow::Unsupported(
            "changing a file that was mapped (MAP_SHARED)".into(),
        )),
    }
}
