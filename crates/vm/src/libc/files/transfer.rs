//! Reads and writes open files, and moves their positions.

use super::action::{cancelable, hidden, on_file, on_reached};
use super::buffer;
use super::captured::is_output;
use super::condition::Condition;
use super::content::NONBLOCK;
use super::description::{Bytes, Way, Written};
use super::errno::{EAGAIN, EBADF, EINVAL, ENOTTY, ESPIPE};
use super::kinds::read_request;
use super::lookup::{look, look_part, pinned, still_reaches};
use super::operation::{
    After, Operation, Part, Parted, Performs, operation, perform, phase, prepare, refused, refused_at_once,
};
use super::ripe;
use super::table::{self, Kind, OpenFile};
use super::wait::{self, wait_for};
use crate::hidden::HiddenObject;
use crate::libc::{print, stepped};
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
        "fchmod" => operation!(status_part, change_mode),
        "__selvedge_readable" => operation!(file_part, readable),
        "isatty" => operation!(look_only_part, |cx| look_only(cx, Some(ENOTTY))),
        "fsync" | "fdatasync" => operation!(synchronises_part, |cx| look_only(cx, None)),
        _ => return None,
    })
}

/// The first part of an operation on the open file in argument 0.
fn looks(cx: &mut Cx<'_>) -> Performs {
    let fd = cx.int(0)?;
    match look(cx, fd) {
        Some(_) => Ok(After::Next(Phase::LookedUp, Outcome::Done)),
        None => refused(cx, EBADF),
    }
}

/// The text for a transfer that already transferred more than it now requests.
pub(super) const CHANGED: &str = "a transfer whose size is chosen anew after a part of it was made";

fn done(cx: &Cx<'_>) -> u64 {
    cx.state.thread(cx.thread).core.note
}

// ---- read
// -------------------------------------------------------------------------------------------------

/// The maximum size of one transfer on Linux.
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
    if positioned && let Some(error) = bad_position(cx, &open)? {
        return refused_at_once(cx, error);
    }
    if let Some(error) = open.description().refuses(count) {
        return refused_at_once(cx, error);
    }
    if open.kind == Kind::Requests {
        // A native program knows the stream by its number, and reads it where the program itself
        // calls read().
        let function = cx.state.thread(cx.thread).core.frame.func;
        if positioned || count == 0 || cx.int(0)? != 0 || cx.program.module.functions[function].library {
            let what = "a read of a stream of requests, but by read() of one from descriptor 0";
            return Err(Flow::Unsupported(what.into()));
        }
        return Ok(Part::Always(hidden(cx, HiddenObject::File(open.file))));
    }
    if count == 0 {
        return Ok(Part::Done(0));
    }
    if !open.description().is_shared() {
        return Ok(Part::Now);
    }
    wait_for(cx, Condition::Data);
    let mut action = on_file(cx, open.kind, open.file, transfer_op(&open), MemoryOrder::Acquire);
    action.may_fail = action.op == Op::HiddenWait && wait::is_open_to_others(cx.state, cx.thread);
    Ok(cancelable(cx, action))
}

/// The error of a `pread` or `pwrite` at an impossible position.
fn bad_position(cx: &mut Cx<'_>, open: &OpenFile) -> Result<Option<i32>, Stop> {
    if !open.description().takes_positions() {
        return Ok(Some(ESPIPE));
    }
    Ok(((cx.word(3)? as i64) < 0).then_some(EINVAL))
}

/// The operation of a transfer: a waiting one if some object can wake it.
pub(super) fn transfer_op(open: &OpenFile) -> Op {
    match open.description().woken_by(open.file) {
        Some(_) => Op::HiddenWait,
        None => Op::Hidden,
    }
}

fn read(cx: &mut Cx<'_>, positioned: bool) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, to, count) = (pinned(cx)?, cx.word(1)?, cx.word(2)?.min(MOST));
    if open.kind == Kind::Requests {
        return read_request(cx, (open.file, to, count)).map(|bytes| After::Done(bytes, Outcome::Done));
    }
    let description = open.description();
    if description.ripens(cx.state, &open) {
        let waits = table::flags(cx.state, open.number) & NONBLOCK == 0;
        ripe::decide(cx, vec![open], waits)?;
    }
    let can_read = description.can_read(cx.state, &open);
    if !can_read && wait::waits(cx.state, &open, Way::In) {
        return Err(wait::for_others(cx));
    }
    wait::waited(cx, &open, Way::In, !can_read);
    if !can_read {
        return refused(cx, EAGAIN);
    }
    let at = if positioned { Some(cx.word(3)?) } else { None };
    let bytes = match description.available(cx.state, &open, count, at)? {
        Ok(bytes) => bytes,
        Err(error) => {
            description.told(cx.state, &open);
            return refused(cx, error);
        }
    };
    buffer::access(cx, to, bytes, true)?;
    description.read(cx, &open, to, bytes, at)?;
    Ok(After::Done(bytes, Outcome::Done))
}

// ---- write
// -------------------------------------------------------------------------------------------------

/// Like all printing, `write` to the captured output is no scheduling point.
fn prepare_write(cx: &mut Cx<'_>) -> Prepared {
    match cx.int(0) {
        Ok(fd) if is_output(cx, fd) => stepped::prepare(cx, print::write),
        Ok(_) => prepare(cx, &WRITE),
        Err(flow) => Prepared::Immediate(flow),
    }
}

fn perform_write(cx: &mut Cx<'_>, _: u16) -> Performed {
    match cx.int(0) {
        Ok(fd) if is_output(cx, fd) => stepped::perform(cx, print::write),
        _ => perform(cx, &WRITE),
    }
}

const WRITE: Operation = Operation {
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
    if positioned && let Some(error) = bad_position(cx, &open)? {
        return refused_at_once(cx, error);
    }
    if let Some(error) = open.description().refuses(count) {
        return refused_at_once(cx, error);
    }
    // Read the program's memory now, before the release of the write to a pipe.
    let written = done(cx);
    let Some(left) = count.checked_sub(written) else {
        return Err(Flow::Unsupported(CHANGED.into()));
    };
    buffer::access(cx, from.wrapping_add(written), left, false)?;
    let description = open.description();
    if count == 0 && !description.sends_nothing() {
        return Ok(Part::Done(0));
    }
    if !description.is_shared() {
        return Ok(Part::Now);
    }
    wait_for(cx, Condition::Room(description.needed(count)));
    let action = on_reached(cx, open.kind, open.file, transfer_op(&open));
    Ok(cancelable(cx, action))
}

fn write(cx: &mut Cx<'_>, positioned: bool) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, from, count) = (pinned(cx)?, cx.word(1)?, cx.word(2)?.min(MOST));
    let at = if positioned { Some(cx.word(3)?) } else { None };
    let before = done(cx);
    let bytes = Bytes {
        from: from + before,
        count: count - before,
        whole: count,
        buffered: false,
    };
    still_reaches(cx, open.file)?;
    let written = open.description().write(cx, &open, bytes, at)?;
    wait::waited(cx, &open, Way::Out, matches!(written, Err(EAGAIN)));
    match written {
        Err(_) if before > 0 => Ok(After::Done(before, Outcome::Done)),
        Err(error) => refused(cx, error),
        Ok(Written::All(bytes)) => Ok(After::Done(before + bytes, Outcome::Done)),
        Ok(Written::Part(bytes)) => {
            let now = before + bytes;
            if table::flags(cx.state, open.number) & NONBLOCK != 0 {
                return Ok(After::Done(now, Outcome::Done));
            }
            cx.state.own_core(cx.thread).note = now;
            Ok(After::Next(Phase::LookedUp, Outcome::Done))
        }
    }
}

// ---- position and length
// -----------------------------------------------------------------------------------------

/// A look-up, followed by an action on the file.
fn file_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return look_part(cx, fd);
    }
    let open = pinned(cx)?;
    let action = on_file(cx, open.kind, open.file, Op::Hidden, MemoryOrder::NotAtomic);
    Ok(Part::Act(action))
}

fn seek(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, offset, whence) = (pinned(cx)?, cx.word(1)? as i64, cx.int(2)?);
    match open.description().seek(cx, &open, offset, whence)? {
        Ok(position) => Ok(After::Done(position, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

/// `__selvedge_readable(fd)`: how many bytes of a pipe or socket could be read at once.
fn readable(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let open = pinned(cx)?;
    let description = open.description();
    match description.available(cx.state, &open, MOST, None)? {
        Ok(bytes) => Ok(After::Done(bytes, Outcome::Done)),
        Err(EAGAIN) => Ok(After::Done(0, Outcome::Done)),
        Err(_) => Err(description.unsupported("FIONREAD, where a read would fail,")),
    }
}

fn truncate(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, length) = (pinned(cx)?, cx.word(1)? as i64);
    match u64::try_from(length) {
        Ok(length) if open.writable => match open.description().truncate(cx, &open, length)? {
            Ok(()) => Ok(After::Done(0, Outcome::Done)),
            Err(error) => refused(cx, error),
        },
        _ => refused(cx, EINVAL),
    }
}

fn status_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        return file_part(cx);
    }
    let open = pinned(cx)?;
    Ok(Part::Act(super::status::status_action(cx, open.file)))
}

fn status(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, out) = (pinned(cx)?, cx.word(1)?);
    super::status::write_status(cx, open.file, out)?;
    Ok(After::Done(0, Outcome::Done))
}

fn change_mode(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, mode) = (pinned(cx)?, cx.int(1)?);
    match super::status::change_mode(cx, open.file, mode)? {
        Ok(()) => Ok(After::Done(0, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

// ---- checks of a descriptor only
// -----------------------------------------------------------

fn look_only_part(cx: &mut Cx<'_>) -> Parted {
    let fd = cx.int(0)?;
    look_part(cx, fd)
}

/// A cancellation point.
fn synchronises_part(cx: &mut Cx<'_>) -> Parted {
    Ok(match look_only_part(cx)? {
        Part::Act(action) => cancelable(cx, action),
        part => part,
    })
}

/// No descriptor is a terminal: the result is 0 with ENOTTY.
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
        (Some(open), None) => match open.description().synchronise()? {
            Ok(()) => Ok(After::Done(0, Outcome::Done)),
            Err(error) => refused(cx, error),
        },
        (None, None) => refused(cx, EBADF),
    }
}
