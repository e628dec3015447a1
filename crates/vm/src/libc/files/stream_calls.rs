//! Calls on a stream, as sequences of parts; see the documentation of `streams`.

use super::action::{hidden, looking, on_file, on_reached};
use super::condition::Condition;
use super::description::{Bytes, Way, Written};
use super::errno::{EAGAIN, EBADF};
use super::lookup::{look, pin, pinned, still_reaches};
use super::operation::{After, Part, Parted, Performs, alone, phase};
use super::stream_fields::{
    AT_END, FAILED, FLUSH, Field, descriptor, get, is_in_memory, lower, raise, set, size,
};
use super::stream_lock::{give_back, is_mine, on_stream, take};
use super::streams::{PUSH_BACK, buffer, check, end, of_argument};
use super::transfer;
use super::wait::{self, wait_for};
use crate::hidden::HiddenObject;
use crate::native::{Cx, Flow, Stop};
use crate::phase::Phase;
use selvedge_model::{Action, MemoryOrder, Op, Outcome};

/// The progress of a call's work.
pub(super) enum Work {
    /// The work is done; the call returns this value.
    Done(u64),
    /// The work needs more bytes in the buffer.
    Fill,
    /// The buffered data must be written.
    Flush,
    /// The position of the file must be moved. Afterwards the field `Position` has it.
    Seek(i64, i32),
    /// The descriptor and the stream must be closed; the call returns this value.
    Close(u64),
}

/// The work of a call, on a stream that the thread holds. It is called again after its request was
/// fulfilled or has `failed`. It may use `Core::note`.
pub(super) type Worker = fn(&mut Cx<'_>, u32, bool) -> Result<Work, Stop>;

/// The next part of a call on the stream in an argument.
pub(super) fn part(cx: &mut Cx<'_>, argument: usize) -> Parted {
    let stream = of_argument(cx, argument)?;
    match phase(cx) {
        Phase::First if is_mine(cx, stream) => Ok(Part::Now),
        Phase::First => {
            wait_for(cx, Condition::Stream(stream));
            Ok(Part::Act(on_stream(cx, stream, Op::HiddenWait)))
        }
        // No other thread reaches what is in memory.
        Phase::LookToFill
        | Phase::LookToFlush
        | Phase::LookToSeek
        | Phase::Seek
        | Phase::Close
        | Phase::Drop
            if is_in_memory(cx.state, stream) =>
        {
            Ok(Part::Now)
        }
        Phase::LookToFill | Phase::LookToFlush | Phase::LookToSeek => {
            Ok(Part::Act(looking(cx, descriptor(cx.state, stream))))
        }
        // Only the last release of the stream is visible to other threads.
        Phase::GoOn | Phase::GoOnFailed if get(cx.state, stream, Field::Depth) > 1 => Ok(Part::Now),
        Phase::GoOn | Phase::GoOnFailed | Phase::End => Ok(Part::Act(on_stream(cx, stream, Op::Hidden))),
        Phase::Close => {
            let fd = descriptor(cx.state, stream);
            Ok(Part::Act(Action {
                object2: HiddenObject::Descriptor(fd).id(),
                ..hidden(cx, HiddenObject::Descriptors)
            }))
        }
        Phase::Drop => {
            let open = pinned(cx)?;
            Ok(Part::Act(super::descriptors::drop_action(cx, open.number)))
        }
        phase => file_part(cx, stream, phase),
    }
}

/// The action on the file.
fn file_part(cx: &mut Cx<'_>, stream: u32, phase: Phase) -> Parted {
    let open = pinned(cx)?;
    let description = open.description();
    if phase == Phase::Seek {
        let action = on_file(cx, open.kind, open.file, Op::Hidden, MemoryOrder::NotAtomic);
        return Ok(Part::Act(action));
    }
    if !description.is_shared() {
        return Ok(Part::Now);
    }
    let op = transfer::transfer_op(&open);
    if op == Op::HiddenWait && cx.program.cancels && !alone(cx) {
        // In glibc this is a cancellation point that releases the lock.
        let what = "waiting in a stream operation, in a program that cancels threads";
        return Err(Flow::Unsupported(what.into()));
    }
    if description.is_open_to_others(cx.state, &open) {
        return Err(description.unsupported("a stream"));
    }
    if phase == Phase::Fill {
        wait_for(cx, Condition::Data);
        let action = on_file(cx, open.kind, open.file, op, MemoryOrder::Acquire);
        return Ok(Part::Act(action));
    }
    let left = get(cx.state, stream, Field::Pending) - get(cx.state, stream, Field::Flushed);
    wait_for(cx, Condition::Room(description.needed(left)));
    Ok(Part::Act(on_reached(cx, open.kind, open.file, op)))
}

/// Performs the next part of a call.
pub(super) fn perform(cx: &mut Cx<'_>, argument: usize, worker: Worker) -> Performs {
    let stream = of_argument(cx, argument)?;
    let now = phase(cx);
    match now {
        Phase::First => {
            check(cx, stream)?;
            take(cx, stream);
            let worked = work(cx, stream, worker, false);
            if matches!(worked, Err(Flow::Symbolic(_) | Flow::Choose(_))) {
                // The call is repeated when the value is known.
                give_back(cx, stream);
            }
            worked
        }
        Phase::GoOn | Phase::GoOnFailed => work(cx, stream, worker, now == Phase::GoOnFailed),
        Phase::LookToFill | Phase::LookToFlush | Phase::LookToSeek => {
            let fd = descriptor(cx.state, stream);
            if is_in_memory(cx.state, stream) {
                pin(cx, fd);
                return Ok(After::Next(after_look(now), Outcome::Done));
            }
            match look(cx, fd as i32) {
                Some(_) => Ok(After::Next(after_look(now), Outcome::Done)),
                None => fails(cx, stream, EBADF),
            }
        }
        Phase::Fill => fill(cx, stream),
        Phase::Flush => flush(cx, stream),
        Phase::Seek => {
            let open = pinned(cx)?;
            let offset = get(cx.state, stream, Field::Offset) as i64;
            let whence = get(cx.state, stream, Field::Whence) as i32;
            match open.description().seek(cx, &open, offset, whence)? {
                Ok(position) => {
                    set(cx.state, stream, Field::Position, position);
                    Ok(After::Next(Phase::GoOn, Outcome::Done))
                }
                Err(error) => {
                    cx.set_errno(error)?;
                    Ok(After::Next(Phase::GoOnFailed, Outcome::Failed))
                }
            }
        }
        Phase::Close => close(cx, stream),
        Phase::Drop => {
            let open = pinned(cx)?;
            super::descriptors::drop_open_file(cx, open.number)?;
            Ok(After::Next(Phase::End, Outcome::Done))
        }
        _ => {
            let result = cx.state.thread(cx.thread).core.note;
            give_back(cx, stream);
            end(cx, stream);
            Ok(After::Done(result, Outcome::Done))
        }
    }
}

/// The phase after the look-up of a descriptor.
fn after_look(phase: Phase) -> Phase {
    match phase {
        Phase::LookToFill => Phase::Fill,
        Phase::LookToFlush => Phase::Flush,
        _ => Phase::Seek,
    }
}

/// Continues the work of a call.
fn work(cx: &mut Cx<'_>, stream: u32, worker: Worker, failed: bool) -> Performs {
    let next = match worker(cx, stream, failed)? {
        Work::Done(value) => {
            give_back(cx, stream);
            return Ok(After::Done(value, Outcome::Done));
        }
        Work::Fill => Phase::LookToFill,
        Work::Flush => Phase::LookToFlush,
        Work::Seek(offset, whence) => {
            set(cx.state, stream, Field::Offset, offset as u64);
            set(cx.state, stream, Field::Whence, u64::from(whence as u32));
            Phase::LookToSeek
        }
        Work::Close(result) => {
            cx.state.own_core(cx.thread).note = result;
            Phase::Close
        }
    };
    Ok(After::Next(next, Outcome::Done))
}

/// An operation on the file has failed; the stream's error indicator is set.
fn fails(cx: &mut Cx<'_>, stream: u32, error: i32) -> Performs {
    cx.set_errno(error)?;
    raise(cx.state, stream, FAILED);
    Ok(After::Next(Phase::GoOnFailed, Outcome::Failed))
}

/// Reads a block into the buffer.
fn fill(cx: &mut Cx<'_>, stream: u32) -> Performs {
    let open = pinned(cx)?;
    if !open.readable {
        return fails(cx, stream, EBADF);
    }
    let description = open.description();
    let can_read = description.can_read(cx.state, &open);
    wait::waited(cx, &open, Way::In, !can_read);
    if !can_read {
        return fails(cx, stream, EAGAIN);
    }
    let to = buffer(cx, stream)?;
    let room = size(cx.state, stream);
    let bytes = match description.available(cx.state, &open, room, None)? {
        Ok(bytes) => bytes,
        Err(error) => {
            description.told(cx.state, &open);
            return fails(cx, stream, error);
        }
    };
    description.read(cx, &open, to + PUSH_BACK, bytes, None)?;
    set(cx.state, stream, Field::Begin, PUSH_BACK);
    set(cx.state, stream, Field::End, PUSH_BACK + bytes);
    if bytes == 0 {
        raise(cx.state, stream, AT_END);
    }
    Ok(After::Next(Phase::GoOn, Outcome::Done))
}

/// Writes the buffered data, or as much of it as there is room for.
fn flush(cx: &mut Cx<'_>, stream: u32) -> Performs {
    let open = pinned(cx)?;
    if !open.writable {
        set(cx.state, stream, Field::Pending, 0);
        return fails(cx, stream, EBADF);
    }
    let (pending, flushed) = (
        get(cx.state, stream, Field::Pending),
        get(cx.state, stream, Field::Flushed),
    );
    let (from, left) = (buffer(cx, stream)? + PUSH_BACK + flushed, pending - flushed);
    let description = open.description();
    let may_wait = description.woken_by(open.file).is_some();
    if may_wait && !wait::waits(cx.state, &open, Way::Out) {
        let what = "a stream that writes to a pipe or socket where a write may fail instead of waiting";
        return Err(Flow::Unsupported(what.into()));
    }
    let bytes = Bytes {
        from,
        count: left,
        whole: left,
        buffered: true,
    };
    still_reaches(cx, open.file)?;
    match description.write(cx, &open, bytes, None)? {
        Ok(Written::All(_)) => {}
        Ok(Written::Part(bytes)) => {
            set(cx.state, stream, Field::Flushed, flushed + bytes);
            return Ok(After::Next(Phase::Flush, Outcome::Done));
        }
        Err(error) => {
            flushed_all(cx, stream);
            return fails(cx, stream, error);
        }
    }
    flushed_all(cx, stream);
    Ok(After::Next(Phase::GoOn, Outcome::Done))
}

fn flushed_all(cx: &mut Cx<'_>, stream: u32) {
    set(cx.state, stream, Field::Pending, 0);
    set(cx.state, stream, Field::Flushed, 0);
    lower(cx.state, stream, FLUSH);
}

/// Releases the descriptor of a stream that is being closed.
fn close(cx: &mut Cx<'_>, stream: u32) -> Performs {
    let fd = descriptor(cx.state, stream);
    if is_in_memory(cx.state, stream) {
        pin(cx, fd);
        let open = pinned(cx)?;
        open.description().flushed(cx, &open)?;
        return Ok(After::Next(Phase::Drop, Outcome::Done));
    }
    look(cx, fd as i32);
    match super::descriptors::give_up(cx, fd)? {
        Some(_) => Ok(After::Next(Phase::Drop, Outcome::Done)),
        None => {
            cx.set_errno(EBADF)?;
            cx.state.own_core(cx.thread).note = u64::MAX;
            Ok(After::Next(Phase::End, Outcome::Done))
        }
    }
}
