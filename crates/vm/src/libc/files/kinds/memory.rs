//! Streams in memory: `open_memstream` and `fmemopen`. No descriptor leads to them, so each belongs
//! to its stream, and its state is the stream's: whoever holds the stream uses it alone.
//!
//! What is written by `open_memstream` is kept as a regular file. A flush copies it into a new
//! block for the program, unless nothing was written since the last one, and frees the block before
//! that: so a use of the old address is a use after free. `fmemopen` reads and writes the program's
//! own bytes, when the stream's buffer is filled or flushed, by glibc's rules.

use super::regular;
use crate::libc::files::buffer;
use crate::libc::files::description::{Answer, Bytes, FileDescription, Written};
use crate::libc::files::errno::{EINVAL, ENOSPC};
use crate::libc::files::table::{self, OpenFile};
use crate::memory::Life;
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use crate::value::Value;
use crate::word::FileField;
use selvedge_model::ObjectId;

/// The kind of what `open_memstream` writes.
pub(in crate::libc::files) const GROWING: Growing = Growing;
/// The kind of what `fmemopen` reads and writes.
pub(in crate::libc::files) const LENT: Lent = Lent;

/// See the documentation of the module.
pub(in crate::libc::files) struct Growing;

/// Where the program's address of the block is.
const BLOCK_AT: FileField = FileField::Links;
/// Where its size is.
const SIZE_AT: FileField = FileField::Readers;
/// The block; 0 if there is none.
const BLOCK: FileField = FileField::Counter;
/// Whether something was written since the block was made.
const CHANGED: FileField = FileField::Writers;

impl Growing {
    /// Says where the program learns of the block and of its size.
    pub(in crate::libc::files) fn set_up(state: &mut State, file: u32, block_at: u64, size_at: u64) {
        table::set_field(state, file, BLOCK_AT, block_at);
        table::set_field(state, file, SIZE_AT, size_at);
    }
}

impl FileDescription for Growing {
    fn what(&self) -> &'static str {
        "a stream of open_memstream"
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn woken_by(&self, _: u32) -> Option<ObjectId> {
        None
    }

    fn write(&self, cx: &mut Cx<'_>, open: &OpenFile, bytes: Bytes, _: Option<u64>) -> Answer<Written> {
        let position = table::position(cx.state, open.number);
        regular::write_at(cx, open.file, bytes.from, bytes.count, position)?;
        table::set_position(cx.state, open.number, position + bytes.count);
        if bytes.count > 0 {
            table::set_field(cx.state, open.file, CHANGED, 1);
        }
        Ok(Ok(Written::All(bytes.count)))
    }

    fn seek(&self, cx: &mut Cx<'_>, open: &OpenFile, offset: i64, whence: i32) -> Answer<u64> {
        let (position, length) = (
            table::position(cx.state, open.number),
            table::length(cx.state, open.file),
        );
        let base = match whence {
            0 => 0,
            1 => position,
            2 if position == length => length,
            // For glibc, the end is not that of POSIX then.
            2 => return Err(self.unsupported("SEEK_END, after another seek,")),
            _ => return Ok(Err(EINVAL)),
        };
        let position = (base as i64).checked_add(offset);
        let Some(position) = position.and_then(|p| u64::try_from(p).ok()) else {
            return Ok(Err(EINVAL));
        };
        table::set_position(cx.state, open.number, position);
        Ok(Ok(position))
    }

    fn flushed(&self, cx: &mut Cx<'_>, open: &OpenFile) -> Result<(), Stop> {
        let file = open.file;
        let length = table::length(cx.state, file);
        let before = table::field(cx.state, file, BLOCK);
        if before == 0 || table::field(cx.state, file, CHANGED) != 0 {
            let Some(block) = cx.malloc(length + 1, 16, false)? else {
                return Err(self.unsupported("more bytes than there is memory"));
            };
            let content = table::content(cx.state, file);
            if length > 0 {
                cx.state.memory.copy(block, content, length);
            }
            cx.state.memory.fill(block + length, 1, Value::new(0));
            if before != 0 {
                let site = cx.site;
                cx.state.memory.end_object(before, Life::Freed, site);
            }
            table::set_field(cx.state, file, BLOCK, block);
            table::set_field(cx.state, file, CHANGED, 0);
        }
        let (block, size) = (
            table::field(cx.state, file, BLOCK),
            length.min(table::position(cx.state, open.number)),
        );
        let (block_at, size_at) = (
            table::field(cx.state, file, BLOCK_AT),
            table::field(cx.state, file, SIZE_AT),
        );
        buffer::store(cx, block_at, 8, block)?;
        buffer::store(cx, size_at, 8, size)
    }
}

/// See the documentation of the module.
pub(in crate::libc::files) struct Lent;

/// The size of the buffer.
const SIZE: FileField = FileField::Start;
/// Bits: whether it is appended to, and whether the buffer is not the program's.
const HOW: FileField = FileField::Counter;
const APPENDS: u64 = 1;
const OWN: u64 = 2;

/// A buffer of `fmemopen`. Its *end* is up to where something was written, or is to be read.
pub(in crate::libc::files) struct LentBuffer {
    /// Its address.
    pub at: u64,
    /// Its size.
    pub size: u64,
    /// The end at first.
    pub end: u64,
    /// Each write goes to the end.
    pub appends: bool,
    /// It is an object of the machine.
    pub own: bool,
}

impl Lent {
    /// Gives a file its buffer.
    pub(in crate::libc::files) fn set_up(state: &mut State, open: &OpenFile, buffer: &LentBuffer) {
        let how = if buffer.appends { APPENDS } else { 0 } | if buffer.own { OWN } else { 0 };
        table::set_content(state, open.file, buffer.at);
        table::set_length(state, open.file, buffer.end);
        table::set_field(state, open.file, SIZE, buffer.size);
        table::set_field(state, open.file, HOW, how);
        if buffer.appends {
            table::set_position(state, open.number, buffer.end);
        }
    }
}

/// Checks an access to the program's buffer.
fn access(cx: &mut Cx<'_>, open: &OpenFile, at: u64, size: u64, write: bool) -> Result<(), Stop> {
    if table::field(cx.state, open.file, HOW) & OWN != 0 {
        return Ok(());
    }
    buffer::access(cx, at, size, write)
}

impl FileDescription for Lent {
    fn what(&self) -> &'static str {
        "a stream of fmemopen"
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn woken_by(&self, _: u32) -> Option<ObjectId> {
        None
    }

    fn available(&self, state: &State, open: &OpenFile, count: u64, _: Option<u64>) -> Answer<u64> {
        let left = table::length(state, open.file).saturating_sub(table::position(state, open.number));
        Ok(Ok(count.min(left)))
    }

    fn read(
        &self,
        cx: &mut Cx<'_>,
        open: &OpenFile,
        to: u64,
        bytes: u64,
        _: Option<u64>,
    ) -> Result<(), Stop> {
        if bytes == 0 {
            return Ok(());
        }
        let position = table::position(cx.state, open.number);
        let from = table::content(cx.state, open.file) + position;
        access(cx, open, from, bytes, false)?;
        cx.state.memory.copy(to, from, bytes);
        table::set_position(cx.state, open.number, position + bytes);
        Ok(())
    }

    fn write(&self, cx: &mut Cx<'_>, open: &OpenFile, bytes: Bytes, _: Option<u64>) -> Answer<Written> {
        let (base, size, end) = (
            table::content(cx.state, open.file),
            table::field(cx.state, open.file, SIZE),
            table::length(cx.state, open.file),
        );
        let appends = table::field(cx.state, open.file, HOW) & APPENDS != 0;
        let position = match appends {
            true => end,
            false => table::position(cx.state, open.number),
        };
        let last = cx.state.memory.peek_checked(bytes.from + bytes.count - 1, 1);
        if last.is_symbolic() {
            return Err(self.unsupported("a write that ends with a symbolic byte"));
        }
        // A null byte follows what is written, unless that ends with one.
        let ends = !(last.is_concrete() && last.bits as u8 == 0);
        if position + bytes.count > size && position + u64::from(ends) >= size {
            return Ok(Err(ENOSPC));
        }
        let count = bytes.count.min(size - position);
        access(cx, open, base + position, count, true)?;
        cx.state.memory.copy(base + position, bytes.from, count);
        let now = position + count;
        table::set_position(cx.state, open.number, now);
        if now > end {
            table::set_length(cx.state, open.file, now);
            let null_at = match ends {
                true if now < size => Some(now),
                true if !appends => Some(size - 1),
                _ => None,
            };
            if let Some(at) = null_at {
                access(cx, open, base + at, 1, true)?;
                cx.state.memory.fill(base + at, 1, Value::new(0));
            }
        }
        Ok(if count == bytes.count {
            Ok(Written::All(count))
        } else {
            Err(ENOSPC)
        })
    }

    fn seek(&self, cx: &mut Cx<'_>, open: &OpenFile, offset: i64, whence: i32) -> Answer<u64> {
        let base = match whence {
            0 => 0,
            1 => table::position(cx.state, open.number),
            2 => table::length(cx.state, open.file),
            _ => return Ok(Err(EINVAL)),
        };
        let size = table::field(cx.state, open.file, SIZE);
        let position = (base as i64)
            .checked_add(offset)
            .and_then(|p| u64::try_from(p).ok());
        match position.filter(|&p| p <= size) {
            Some(position) => {
                table::set_position(cx.state, open.number, position);
                Ok(Ok(position))
            }
            None => Ok(Err(EINVAL)),
        }
    }
}

/// The result where predicate dependence looks at a program with such a stream: its facts say that
/// a flush accesses no memory of the program.
pub(in crate::libc::files) fn refuse_predicate(cx: &Cx<'_>, what: &str) -> Result<(), Stop> {
    match cx.program.options.points.is_some() {
        true => Err(Flow::Unsupported(format!("{what} with --dependence predicate"))),
        false => Ok(()),
    }
}
