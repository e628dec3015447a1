//! Pipes: a ring of 65,536 bytes, as on Linux. Writes of up to 4,096 bytes are never split. (Linux
//! counts pages, and a small write may occupy a whole page; the model counts bytes.)
//!
//! An open file is one of the two ends of a pipe. A reader sees the end of the pipe when the last
//! writing end is closed. A write after the last reading end is closed raises SIGPIPE, or returns
//! an error if the signal is ignored.

use crate::hidden::HiddenObject;
use crate::libc::files::content::too_many;
use crate::libc::files::description::{Answer, Bytes, FileDescription, Readiness, Status, Written};
use crate::libc::files::errno::{EAGAIN, EINVAL, EPIPE, ESPIPE};
use crate::libc::files::kinds::ring;
use crate::libc::files::table::{self, Kind, OpenFile};
use crate::libc::signal::SIGPIPE;
use crate::libc::signal_order;
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use crate::word::FileField;
use selvedge_model::ObjectId;

/// The kind of pipes.
pub(in crate::libc::files) const PIPE: Pipe = Pipe;

/// Pipes; see the documentation of the module.
pub(in crate::libc::files) struct Pipe;

/// The capacity of a pipe in bytes.
const PIPE_SIZE: u64 = 65_536;
/// The largest write to a pipe that is never split.
const PIPE_BUF: u64 = 4096;

/// A new pipe.
pub(in crate::libc::files) fn make(cx: &mut Cx<'_>) -> Result<u32, Stop> {
    let file = table::new_file(cx.state, Kind::Pipe, 0o600).ok_or_else(too_many)?;
    ring::make(cx, file, PIPE_SIZE)?;
    Ok(file)
}

/// The result of a write without a reader: `EPIPE` if SIGPIPE is ignored, otherwise the signal.
pub(in crate::libc::files) fn broken<T>(cx: &mut Cx<'_>) -> Answer<T> {
    signal_order::look(cx.state, cx.thread, SIGPIPE)?;
    if table::pipe_signal_ignored(cx.state) {
        return Ok(Err(EPIPE));
    }
    let what = "SIGPIPE: a write to a pipe or socket that nobody reads";
    Err(Flow::Unsupported(what.into()))
}

impl FileDescription for Pipe {
    fn what(&self) -> &'static str {
        "the end of a pipe"
    }

    fn woken_by(&self, file: u32) -> Option<ObjectId> {
        Some(HiddenObject::File(file).id())
    }

    fn ready(&self, state: &State, open: &OpenFile) -> Result<Readiness, Stop> {
        let none = Readiness::default();
        Ok(if open.readable {
            Readiness {
                readable: table::length(state, open.file) > 0,
                hangup: writers(state, open) == 0,
                ..none
            }
        } else {
            Readiness {
                writable: room(state, open) >= PIPE_BUF,
                error: readers(state, open) == 0,
                ..none
            }
        })
    }

    fn opened(&self, state: &mut State, open: &OpenFile) {
        let count = table::field(state, open.file, ends(open)) + 1;
        table::set_field(state, open.file, ends(open), count);
    }

    fn closed(&self, cx: &mut Cx<'_>, open: &OpenFile) -> Result<(), Stop> {
        let count = table::field(cx.state, open.file, ends(open)).saturating_sub(1);
        table::set_field(cx.state, open.file, ends(open), count);
        Ok(())
    }

    fn pipe_size(&self) -> Option<u64> {
        Some(PIPE_SIZE)
    }

    fn can_read(&self, state: &State, open: &OpenFile) -> bool {
        table::length(state, open.file) > 0 || writers(state, open) == 0
    }

    fn waits_to_read(&self) -> &'static str {
        "waits for data in a pipe whose writing end is open"
    }

    fn available(&self, state: &State, open: &OpenFile, count: u64, _: Option<u64>) -> Answer<u64> {
        if !self.can_read(state, open) {
            return Ok(Err(EAGAIN));
        }
        Ok(Ok(count.min(table::length(state, open.file))))
    }

    fn read(
        &self,
        cx: &mut Cx<'_>,
        open: &OpenFile,
        to: u64,
        bytes: u64,
        _: Option<u64>,
    ) -> Result<(), Stop> {
        ring::take(cx, open.file, to, bytes);
        Ok(())
    }

    fn can_write(&self, state: &State, open: &OpenFile, bytes: u64) -> bool {
        readers(state, open) == 0 || room(state, open) >= bytes
    }

    fn waits_to_write(&self) -> &'static str {
        "waits for room in a full pipe"
    }

    fn needed(&self, count: u64) -> u64 {
        if count <= PIPE_BUF { count } else { 1 }
    }

    fn write(&self, cx: &mut Cx<'_>, open: &OpenFile, bytes: Bytes, _: Option<u64>) -> Answer<Written> {
        if readers(cx.state, open) == 0 {
            return broken(cx);
        }
        let room = room(cx.state, open);
        if room < self.needed(bytes.whole).min(bytes.count) {
            return Ok(Err(EAGAIN));
        }
        let now = room.min(bytes.count);
        ring::put(cx, open.file, bytes.from, now);
        Ok(Ok(if now == bytes.count {
            Written::All(now)
        } else {
            Written::Part(now)
        }))
    }

    fn seek(&self, _: &mut Cx<'_>, _: &OpenFile, _: i64, _: i32) -> Answer<u64> {
        Ok(Err(ESPIPE))
    }

    fn truncate(&self, _: &mut Cx<'_>, _: &OpenFile, _: u64) -> Answer<()> {
        Ok(Err(EINVAL))
    }

    fn synchronise(&self) -> Answer<()> {
        Ok(Err(EINVAL))
    }

    fn status(&self, _: &State, _: u32) -> Result<Status, Stop> {
        Ok(Status {
            format: 0o010_000,
            length: 0,
        })
    }
}

/// The field that counts open ends of the same direction.
const fn ends(open: &OpenFile) -> FileField {
    if open.writable {
        FileField::Writers
    } else {
        FileField::Readers
    }
}

/// The number of open files that can read from the pipe.
fn readers(state: &State, open: &OpenFile) -> u64 {
    table::field(state, open.file, FileField::Readers)
}

/// The number of open files that can write to the pipe.
fn writers(state: &State, open: &OpenFile) -> u64 {
    table::field(state, open.file, FileField::Writers)
}

/// The number of free bytes in a pipe.
fn room(state: &State, open: &OpenFile) -> u64 {
    ring::room(state, open.file)
}
