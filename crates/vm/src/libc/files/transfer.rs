//! Reading and writing open files, and moving in them.

use super::content::{self, APPEND, NONBLOCK, PIPE_BUF};
use super::errno::{EAGAIN, EBADF, EINVAL, ENOTTY, EPIPE, ESPIPE};
use super::table::{self, Kind, OpenFile};
use super::{
    After, Condition, Part, Parted, Performs, alone, cancelable, look, look_part, on_file, operation, phase,
    pinned, refused, refused_at_once, wait_for,
};
use crate::libc::{open_text, print};
use crate::native::{Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::phase::Phase;
use selvedge_model::{MemoryOrder, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "read" => operation!(|cx| read_part(cx, false), |cx| read(cx, false)),
        "pread" | "pread64" => operation!(|cx| read_part(cx, true), |cx| read(cx, true)),
        "write" => Native::Visible(Visible {
            prepare: prepare_write,
            perform: perform_write,
            numbers: crate::native::NO_ARGUMENT,
        }),
        "pwrite" | "pwrite64" => operation!(|cx| write_part(cx, true), |cx| write(cx, true)),
        "lseek" | "lseek64" => operation!(|cx| file_part(cx), seek),
        "ftruncate" | "ftruncate64" => operation!(|cx| file_part(cx), truncate),
        "fstat" | "fstat64" => operation!(status_part, status),
        "isatty" => operation!(look_only_part, |cx| look_only(cx, Some(ENOTTY))),
        "fsync" | "fdatasync" => operation!(look_only_part, |cx| look_only(cx, None)),
        _ => return None,
    })
}

/// The first part of what needs the open file of argument 0.
fn looks(cx: &mut Cx<'_>) -> Performs {
    let fd = cx.int(0)?;
    match look(cx, fd) {
        Some(_) => Ok(After::Next(Phase::LookedUp, Outcome::Done)),
        None => refused(cx, EBADF),
    }
}

/// More was transferred than is asked for now.
pub(super) const CHANGED: &str = "a transfer whose size is chosen anew after a part of it was made";

fn done(cx: &Cx<'_>) -> u64 {
    cx.state.thread(cx.thread).core.note
}

// ---- read
// -------------------------------------------------------------------------------------------------

/// The most that one call transfers on Linux.
const MOST: u64 = 0x7fff_f000;

fn read_part(cx: &mut Cx<'_>, positioned: bool) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return Ok(match look_part(cx, fd)? {
            Part::Act(action) => cancelable(cx, action),
            part => part,
        });
    }
    let (open, count) = (pinned(cx)?, cx.word(2)?);
    if !open.readable {
        return refused_at_once(cx, EBADF);
    }
    if positioned {
        if open.kind == Kind::Pipe {
            return refused_at_once(cx, ESPIPE);
        }
        if (cx.word(3)? as i64) < 0 {
            return refused_at_once(cx, EINVAL);
        }
    }
    if count == 0 {
        return Ok(Part::Done(0));
    }
    Ok(match open.kind {
        Kind::Null | Kind::Zero | Kind::Output => Part::Now,
        kind => {
            let op = if kind == Kind::Pipe {
                Op::HiddenWait
            } else {
                Op::Hidden
            };
            wait_for(cx, Condition::Data);
            cancelable(cx, on_file(cx, open.file, kind, op, MemoryOrder::Acquire))
        }
    })
}

fn read(cx: &mut Cx<'_>, positioned: bool) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, to, count) = (pinned(cx)?, cx.word(1)?, cx.word(2)?.min(MOST));
    if !content::readable(cx.state, &open) {
        return refused(cx, EAGAIN);
    }
    let position = if positioned {
        cx.word(3)?
    } else {
        table::position(cx.state, open.number)
    };
    let bytes = content::available(cx.state, &open, count, position);
    super::access(cx, to, bytes, true)?;
    content::read_at(cx, &open, to, bytes, position);
    if !positioned && bytes > 0 && open.kind == Kind::Regular {
        table::set_position(cx.state, open.number, position + bytes);
    }
    Ok(After::Done(bytes, Outcome::Done))
}

// ---- write
// -------------------------------------------------------------------------------------------------

/// Whether a descriptor is the captured output. Descriptors 1 and 2 change only while there is one
/// thread.
pub(in crate::libc) fn is_output(cx: &Cx<'_>, fd: i32) -> bool {
    matches!(fd, 1 | 2)
        && table::descriptor(cx.state, fd as u32)
            .is_some_and(|open| table::open_file(cx.state, open).kind == Kind::Output)
}

/// `write` to the captured output is no scheduling point, as all printing.
fn prepare_write(cx: &mut Cx<'_>) -> Prepared {
    match cx.int(0) {
        Ok(fd) if is_output(cx, fd) => crate::libc::stepped::prepare(cx, print::write),
        Ok(_) => super::prepare(cx, &WRITE),
        Err(flow) => Prepared::Immediate(flow),
    }
}

fn perform_write(cx: &mut Cx<'_>, _: u16) -> Performed {
    match cx.int(0) {
        Ok(fd) if is_output(cx, fd) => crate::libc::stepped::perform(cx, print::write),
        _ => super::perform(cx, &WRITE),
    }
}

const WRITE: super::Operation = super::Operation {
    part: |cx| write_part(cx, false),
    perform: |cx| write(cx, false),
};

fn write_part(cx: &mut Cx<'_>, positioned: bool) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return Ok(match look_part(cx, fd)? {
            Part::Act(action) => cancelable(cx, action),
            part => part,
        });
    }
    let (open, from, count) = (pinned(cx)?, cx.word(1)?, cx.word(2)?.min(MOST));
    if !open.writable {
        return refused_at_once(cx, EBADF);
    }
    if positioned {
        if matches!(open.kind, Kind::Pipe | Kind::Output) {
            return refused_at_once(cx, ESPIPE);
        }
        if (cx.word(3)? as i64) < 0 {
            return refused_at_once(cx, EINVAL);
        }
    }
    // The program's memory is read now, before what a pipe hands on.
    let written = done(cx);
    let Some(left) = count.checked_sub(written) else {
        return Err(Flow::Unsupported(CHANGED.into()));
    };
    super::access(cx, from.wrapping_add(written), left, false)?;
    if count == 0 {
        return Ok(Part::Done(0));
    }
    Ok(match open.kind {
        Kind::Null | Kind::Zero => Part::Done(count),
        Kind::Output => Part::Now,
        kind => {
            let op = if kind == Kind::Pipe {
                Op::HiddenWait
            } else {
                Op::Hidden
            };
            wait_for(cx, Condition::Room(needed(count)));
            cancelable(cx, on_file(cx, open.file, kind, op, MemoryOrder::Release))
        }
    })
}

/// How much room a write to a pipe waits for.
pub(super) fn needed(count: u64) -> u64 {
    if count <= PIPE_BUF { count } else { 1 }
}

fn write(cx: &mut Cx<'_>, positioned: bool) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, from, count) = (pinned(cx)?, cx.word(1)?, cx.word(2)?.min(MOST));
    match open.kind {
        Kind::Pipe => return write_to_pipe(cx, &open, from, count),
        Kind::Output => {
            let text = open_text::range(cx, from, count, "byte of an output")?;
            cx.state.print_open(&text.bytes, &text.holes);
            return Ok(After::Done(count, Outcome::Done));
        }
        _ => {}
    }
    // With O_APPEND, Linux appends whatever the position.
    let position = if positioned && table::flags(cx.state, open.number) & APPEND == 0 {
        cx.word(3)?
    } else {
        write_position(cx, &open)
    };
    content::write_at(cx, open.file, from, count, position)?;
    if !positioned {
        table::set_position(cx.state, open.number, position + count);
    }
    Ok(After::Done(count, Outcome::Done))
}

/// Where a write to a regular file goes.
pub(super) fn write_position(cx: &Cx<'_>, open: &OpenFile) -> u64 {
    if table::flags(cx.state, open.number) & APPEND != 0 {
        table::length(cx.state, open.file)
    } else {
        table::position(cx.state, open.number)
    }
}

/// What a piece of a write to a pipe comes to.
pub(super) enum Piece {
    /// So many bytes were written.
    Written(u64),
    /// It failed with an error number.
    Failed(i32),
}

/// Writes as many of `left` bytes to a pipe as fit; `whole` is the length of the whole write.
pub(super) fn piece(
    cx: &mut Cx<'_>,
    open: &OpenFile,
    from: u64,
    left: u64,
    whole: u64,
) -> Result<Piece, Stop> {
    if table::readers(cx.state, open.file) == 0 {
        if table::pipe_signal_ignored(cx.state) {
            return Ok(Piece::Failed(EPIPE));
        }
        return Err(Flow::Unsupported(
            "SIGPIPE: a write to a pipe that nobody reads".into(),
        ));
    }
    let room = content::room(cx.state, open);
    if room < needed(whole).min(left) {
        return Ok(Piece::Failed(EAGAIN));
    }
    let bytes = room.min(left);
    content::put(cx, open, from, bytes);
    Ok(Piece::Written(bytes))
}

fn write_to_pipe(cx: &mut Cx<'_>, open: &OpenFile, from: u64, count: u64) -> Performs {
    let before = done(cx);
    match piece(cx, open, from + before, count - before, count)? {
        Piece::Failed(_) if before > 0 => Ok(After::Done(before, Outcome::Done)),
        Piece::Failed(error) => refused(cx, error),
        Piece::Written(bytes) => {
            let now = before + bytes;
            if now == count || table::flags(cx.state, open.number) & NONBLOCK != 0 {
                return Ok(After::Done(now, Outcome::Done));
            }
            cx.state.own_core(cx.thread).note = now;
            Ok(After::Next(Phase::LookedUp, Outcome::Done))
        }
    }
}

/// Writes a text to a descriptor other than the captured output: only while there is one thread,
/// and not to a pipe.
pub(in crate::libc) fn put_text(cx: &mut Cx<'_>, fd: i32, text: &[u8]) -> Result<bool, Stop> {
    let what = || Flow::Unsupported(format!("formatted output to descriptor {fd}"));
    if !alone(cx) {
        return Err(what());
    }
    let open = u32::try_from(fd)
        .ok()
        .filter(|&fd| fd < table::MAX_DESCRIPTORS)
        .and_then(|fd| table::descriptor(cx.state, fd))
        .map(|open| table::open_file(cx.state, open));
    let Some(open) = open.filter(|open| open.writable) else {
        cx.set_errno(EBADF)?;
        return Ok(false);
    };
    match open.kind {
        Kind::Output => cx.state.print(text),
        Kind::Null | Kind::Zero => {}
        Kind::Pipe => return Err(what()),
        Kind::Regular => {
            let position = write_position(cx, &open);
            let buffer = content::allocate(cx, text.len() as u64)?;
            super::names::poke(cx.state, buffer, text);
            content::write_at(cx, open.file, buffer, text.len() as u64, position)?;
            table::set_position(cx.state, open.number, position + text.len() as u64);
        }
    }
    Ok(true)
}

// ---- position and length
// -----------------------------------------------------------------------------------------

/// A look-up, then an action on the file.
fn file_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return look_part(cx, fd);
    }
    let open = pinned(cx)?;
    Ok(Part::Act(on_file(
        cx,
        open.file,
        open.kind,
        Op::Hidden,
        MemoryOrder::NotAtomic,
    )))
}

fn seek(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, offset, whence) = (pinned(cx)?, cx.word(1)? as i64, cx.int(2)?);
    match move_to(cx, &open, offset, whence) {
        Ok(position) => Ok(After::Done(position, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

/// Moves an open file's position; an error number if that cannot be.
pub(super) fn move_to(cx: &mut Cx<'_>, open: &OpenFile, offset: i64, whence: i32) -> Result<u64, i32> {
    let base = match (open.kind, whence) {
        (Kind::Pipe | Kind::Output, _) => return Err(ESPIPE),
        (Kind::Null | Kind::Zero, _) => return Ok(0),
        (_, 0) => 0,
        (_, 1) => table::position(cx.state, open.number),
        (_, 2) => table::length(cx.state, open.file),
        _ => return Err(EINVAL),
    };
    let position = (base as i64)
        .checked_add(offset)
        .and_then(|p| u64::try_from(p).ok());
    let position = position.ok_or(EINVAL)?;
    table::set_position(cx.state, open.number, position);
    Ok(position)
}

fn truncate(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, length) = (pinned(cx)?, cx.word(1)? as i64);
    match u64::try_from(length) {
        Ok(length) if open.writable && open.kind == Kind::Regular => {
            content::truncate(cx, open.file, length)?;
            Ok(After::Done(0, Outcome::Done))
        }
        _ => refused(cx, EINVAL),
    }
}

fn status_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        return file_part(cx);
    }
    let open = pinned(cx)?;
    Ok(Part::Act(super::open::status_action(cx, open.file)))
}

fn status(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, out) = (pinned(cx)?, cx.word(1)?);
    super::open::write_status(cx, open.file, out)?;
    Ok(After::Done(0, Outcome::Done))
}

// ---- what only asks whether there is such a descriptor
// -----------------------------------------------------------

fn look_only_part(cx: &mut Cx<'_>) -> Parted {
    let fd = cx.int(0)?;
    look_part(cx, fd)
}

/// No descriptor is a terminal (0 and ENOTTY); a pipe cannot be synchronised.
fn look_only(cx: &mut Cx<'_>, terminal: Option<i32>) -> Performs {
    let fd = cx.int(0)?;
    match (look(cx, fd), terminal) {
        (Some(_), Some(error)) => {
            cx.set_errno(error)?;
            Ok(After::Done(0, Outcome::Done))
        }
        (None, Some(_)) => {
            cx.set_errno(EBADF)?;
            Ok(After::Done(0, Outcome::Done))
        }
        (Some(open), None) if matches!(open.kind, Kind::Pipe | Kind::Output) => refused(cx, EINVAL),
        (Some(_), None) => Ok(After::Done(0, Outcome::Done)),
        (None, None) => refused(cx, EBADF),
    }
}
