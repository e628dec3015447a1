//! Streams: `FILE`, its buffer and its lock.
//!
//! A stream is a descriptor with a buffer of 4,096 bytes, as in glibc: what is written is seen by
//! others once it is flushed, what is read is taken from the file in blocks. One thread has a
//! stream at a time, for a call or from `flockfile` to `funlockfile`; taking it and giving it back
//! are actions on the stream, which order as a mutex does; what happens in between is the holder's
//! own. A call goes through these parts, of which most calls need only the first:
//!
//! 1. take the stream, and do the call's work as far as the buffer goes;
//! 2. fill or flush the buffer, or seek: look up the descriptor, then the action on the file, which
//!    may wait;
//! 3. go on with the work, and give the stream back at its end.
//!
//! `FILE` objects are heap objects that end with `fclose`; using one afterwards is a use after
//! free. `stdin` is a stream like others; `stdout` and `stderr` are captured output (`print`). Not
//! done at `fclose`: moving back a shared descriptor whose data was read ahead.

use super::content::{self, APPEND, NONBLOCK};
use super::errno::{EAGAIN, EBADF};
use super::open::How;
use super::table::{self, Kind};
use super::transfer::{self, Piece};
use super::{
    After, Condition, Part, Parted, Performs, alone, hidden, look, on_file, phase, pinned, wait_for,
};
use crate::libc::holes::{self, Hole};
use crate::memory::Life;
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::program::STREAMS;
use crate::state::State;
use crate::value::Value;
pub(super) use crate::word::StreamField as Field;
use crate::word::WordKey;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, FaultKind, MemoryOrder, ObjectId, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "flockfile" => super::operation!(lock_part, lock),
        "ftrylockfile" => super::operation!(unlock_part, try_lock),
        "funlockfile" => super::operation!(unlock_part, unlock),
        _ => return None,
    })
}

// ---- what a stream is
// -------------------------------------------------------------------------------------------------

/// The end of the file was met.
pub(super) const AT_END: u64 = 1;
/// An operation failed.
pub(super) const FAILED: u64 = 2;
/// What waits to be written is to be flushed before the call returns.
pub(super) const FLUSH: u64 = 4;
/// How it is buffered: by lines, not at all.
pub(super) const BY_LINE: u64 = 8;
pub(super) const UNBUFFERED: u64 = 16;

const READABLE: u64 = 1 << 32;
const WRITABLE: u64 = 1 << 33;
pub(super) const APPENDS: u64 = 1 << 34;

/// Size of a `FILE` on x86-64 Linux.
const FILE_SIZE: u64 = 216;
/// Marks a `FILE`, beside the stream's number.
const MAGIC: u64 = 0x5e1f_0000_0000_0000;
/// The usual size of a buffer.
const BUFFER: u64 = 4096;
/// Bytes in front of a buffer, for those that are pushed back.
pub(super) const PUSH_BACK: u64 = 8;

const STDIN: u64 = STREAMS[0].1;
const STDOUT: u64 = STREAMS[1].1;
const STDERR: u64 = STREAMS[2].1;

pub(super) fn get(state: &State, stream: u32, field: Field) -> u64 {
    let word = state.word(WordKey::Stream(stream, field));
    match (stream, field) {
        (0, Field::Address) => STDIN,
        (0, Field::Descriptor) => READABLE,
        _ => word,
    }
}

pub(super) fn set(state: &mut State, stream: u32, field: Field, value: u64) {
    if get(state, stream, field) != value {
        state.set_word(WordKey::Stream(stream, field), value);
    }
}

pub(super) fn has(state: &State, stream: u32, flag: u64) -> bool {
    get(state, stream, Field::Flags) & flag != 0
}

pub(super) fn raise(state: &mut State, stream: u32, flag: u64) {
    let flags = get(state, stream, Field::Flags) | flag;
    set(state, stream, Field::Flags, flags);
}

pub(super) fn lower(state: &mut State, stream: u32, flag: u64) {
    let flags = get(state, stream, Field::Flags) & !flag;
    set(state, stream, Field::Flags, flags);
}

/// The descriptor of a stream.
pub(super) fn descriptor(state: &State, stream: u32) -> u32 {
    get(state, stream, Field::Descriptor) as u32
}

pub(super) fn is_readable(state: &State, stream: u32) -> bool {
    get(state, stream, Field::Descriptor) & READABLE != 0
}

pub(super) fn is_writable(state: &State, stream: u32) -> bool {
    get(state, stream, Field::Descriptor) & WRITABLE != 0
}

/// Unread bytes in the buffer.
pub(super) fn unread(state: &State, stream: u32) -> u64 {
    get(state, stream, Field::End).saturating_sub(get(state, stream, Field::Begin))
}

/// The size of a stream's buffer.
pub(super) fn size(state: &State, stream: u32) -> u64 {
    match get(state, stream, Field::Size) {
        _ if has(state, stream, UNBUFFERED) => 1,
        0 => BUFFER,
        size => size,
    }
}

/// The address of a stream's buffer, made if there is none.
pub(super) fn buffer(cx: &mut Cx<'_>, stream: u32) -> Result<u64, Stop> {
    let known = get(cx.state, stream, Field::Buffer);
    if known != 0 {
        return Ok(known);
    }
    let size = size(cx.state, stream).max(BUFFER);
    let base = content::allocate(cx, PUSH_BACK + size)?;
    set(cx.state, stream, Field::Buffer, base);
    set(cx.state, stream, Field::Begin, PUSH_BACK);
    set(cx.state, stream, Field::End, PUSH_BACK);
    Ok(base)
}

// ---- making and finding
// -------------------------------------------------------------------------------------------------

/// A new stream on a descriptor: its `FILE`.
pub(super) fn make(cx: &mut Cx<'_>, fd: u32, how: &How) -> Result<u64, Stop> {
    let Some(stream) = table::new_stream(cx.state) else {
        return Err(super::names::too_many());
    };
    let Some(file) = cx.malloc(FILE_SIZE, 16, false)? else {
        return Err(super::names::too_many());
    };
    let name = Value::new(MAGIC | u64::from(stream));
    cx.state.memory.poke_checked(file, 8, name);
    let mut descriptor = u64::from(fd);
    for (holds, bit) in [
        (how.readable, READABLE),
        (how.writable, WRITABLE),
        (how.flags & APPEND != 0, APPENDS),
    ] {
        if holds {
            descriptor |= bit;
        }
    }
    set(cx.state, stream, Field::Address, file);
    set(cx.state, stream, Field::Descriptor, descriptor);
    Ok(file)
}

/// The first addresses of all `FILE` objects, in no particular order.
pub(crate) fn objects(state: &State) -> impl Iterator<Item = u64> + '_ {
    state.words().filter_map(|(key, base)| match key {
        WordKey::Stream(_, Field::Address) => Some(base),
        _ => None,
    })
}

/// Ends a stream's `FILE`.
pub(super) fn end(cx: &mut Cx<'_>, stream: u32) {
    let (file, site) = (get(cx.state, stream, Field::Address), cx.site);
    cx.state.memory.end_object(file, Life::Freed, site);
}

/// Whether an argument is stdout or stderr, and those are still the captured output.
pub(in crate::libc) fn is_output(cx: &mut Cx<'_>, argument: usize) -> Result<bool, Stop> {
    let handle = cx.word(argument)?;
    if !matches!(handle, STDOUT | STDERR) {
        return Ok(false);
    }
    if transfer::is_output(cx, (handle - STDIN) as i32) {
        return Ok(true);
    }
    Err(Flow::Unsupported(
        "printing to a standard stream whose descriptor was closed or redirected".into(),
    ))
}

/// The stream that an argument stands for, also one that was closed.
pub(super) fn of_argument(cx: &mut Cx<'_>, argument: usize) -> Result<u32, Stop> {
    let handle = cx.word(argument)?;
    match handle {
        STDIN => return Ok(0),
        STDOUT | STDERR => return Err(Flow::Unsupported("reading or seeking in an output stream".into())),
        0 => return Err(cx.fault(FaultKind::NullDereference, "use of a null stream")),
        _ => {}
    }
    let name = match cx.state.memory.object_at(handle) {
        Some((base, _)) if base == handle => cx.state.memory.peek_checked(handle, 8),
        _ => Value::new(0),
    };
    let stream = name.bits as u32;
    let known = name.is_concrete()
        && name.bits & !0xffff_ffff == MAGIC
        && stream < table::MAX_FILE_NUMBERS
        && get(cx.state, stream, Field::Address) == handle;
    if known {
        Ok(stream)
    } else {
        let message = format!("use of {handle:#x} as a stream, which it is not");
        Err(cx.fault_on(FaultKind::InvalidPointer, message, ObjectId(handle)))
    }
}

/// That a stream was not closed.
fn check(cx: &Cx<'_>, stream: u32) -> Result<(), Stop> {
    let file = get(cx.state, stream, Field::Address);
    if stream == 0 {
        return Ok(());
    }
    match cx.state.memory.object_at(file) {
        Some((base, object)) if object.life != Life::Live => {
            let mut flow = cx.fault_on(
                FaultKind::UseAfterFree,
                "use of a stream that was closed",
                ObjectId(base),
            );
            if let Flow::Fault(fault) = &mut flow {
                let places = [
                    ("it was opened here", object.made),
                    ("it was closed here", object.ended),
                ];
                for (text, place) in places {
                    fault.related.push((text.into(), place.stmt, place.context));
                }
            }
            Err(flow)
        }
        _ => Ok(()),
    }
}

// ---- the lock
// -------------------------------------------------------------------------------------------------

fn region(state: &State, thread: ThreadId) -> u64 {
    u64::from(state.thread(thread).region)
}

/// Whether a thread may take a stream.
pub(super) fn is_free(state: &State, stream: u32, thread: ThreadId) -> bool {
    let holder = get(state, stream, Field::Holder);
    holder == 0 || holder == region(state, thread)
}

/// The thread that has a stream.
pub(super) fn holder(state: &State, stream: u32) -> Option<ThreadId> {
    let holder = get(state, stream, Field::Holder);
    let threads = state.threads.iter();
    threads
        .enumerate()
        .find(|(_, t)| holder != 0 && u64::from(t.region) == holder)
        .map(|(i, _)| ThreadId::from_index(i))
}

/// Whether the acting thread has a stream.
pub(super) fn is_mine(cx: &Cx<'_>, stream: u32) -> bool {
    get(cx.state, stream, Field::Holder) == region(cx.state, cx.thread)
}

fn take(cx: &mut Cx<'_>, stream: u32) {
    let (me, depth) = (region(cx.state, cx.thread), get(cx.state, stream, Field::Depth));
    set(cx.state, stream, Field::Holder, me);
    set(cx.state, stream, Field::Depth, depth + 1);
}

pub(super) fn give_back(cx: &mut Cx<'_>, stream: u32) {
    let depth = get(cx.state, stream, Field::Depth).saturating_sub(1);
    set(cx.state, stream, Field::Depth, depth);
    if depth == 0 {
        set(cx.state, stream, Field::Holder, 0);
    }
}

/// An action on a stream; it orders as a mutex does.
pub(super) fn on_stream(cx: &Cx<'_>, stream: u32, op: Op) -> Action {
    Action {
        order: MemoryOrder::AcqRel,
        ..cx.action(op, table::stream_object(stream).0)
    }
}

/// Whether an argument is an output stream, on which only a lone thread may have a lock: prints
/// look at none.
fn output_lock(cx: &mut Cx<'_>) -> Result<bool, Stop> {
    match is_output(cx, 0)? {
        true if alone(cx) => Ok(true),
        true => Err(Flow::Unsupported("locking an output stream".into())),
        false => Ok(false),
    }
}

fn lock_part(cx: &mut Cx<'_>) -> Parted {
    if output_lock(cx)? {
        return Ok(Part::Done(0));
    }
    let stream = of_argument(cx, 0)?;
    if is_mine(cx, stream) {
        return Ok(Part::Now);
    }
    wait_for(cx, Condition::Stream(stream));
    Ok(Part::Act(on_stream(cx, stream, Op::HiddenWait)))
}

fn lock(cx: &mut Cx<'_>) -> Performs {
    let stream = of_argument(cx, 0)?;
    check(cx, stream)?;
    take(cx, stream);
    Ok(After::Done(0, Outcome::Done))
}

fn unlock_part(cx: &mut Cx<'_>) -> Parted {
    if output_lock(cx)? {
        return Ok(Part::Done(0));
    }
    let stream = of_argument(cx, 0)?;
    Ok(Part::Act(on_stream(cx, stream, Op::Hidden)))
}

fn try_lock(cx: &mut Cx<'_>) -> Performs {
    let stream = of_argument(cx, 0)?;
    check(cx, stream)?;
    if !is_free(cx.state, stream, cx.thread) {
        return Ok(After::Done(u64::MAX, Outcome::Failed));
    }
    take(cx, stream);
    Ok(After::Done(0, Outcome::Done))
}

fn unlock(cx: &mut Cx<'_>) -> Performs {
    let stream = of_argument(cx, 0)?;
    check(cx, stream)?;
    if !is_mine(cx, stream) {
        let text = "funlockfile by a thread that has not locked the stream";
        return Err(cx.fault(FaultKind::PthreadOther, text));
    }
    give_back(cx, stream);
    Ok(After::Done(0, Outcome::Done))
}

// ---- calls
// -------------------------------------------------------------------------------------------------

/// How far a call's work has come.
pub(super) enum Work {
    /// It is done; the call returns.
    Done(u64),
    /// It needs more bytes in the buffer.
    Fill,
    /// What waits to be written has to be.
    Flush,
    /// The file's position is to be moved; then `Field::Position` has it.
    Seek(i64, i32),
    /// The descriptor and the stream are to be closed; the result.
    Close(u64),
}

/// A call's work, on a stream that the thread has: it is asked again after what it needed was done,
/// or has `failed`. `Core::note` is its own.
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
        Phase::LookToFill | Phase::LookToFlush | Phase::LookToSeek => {
            let slot = table::slot_object(descriptor(cx.state, stream));
            Ok(Part::Act(cx.action(Op::Look, slot.0)))
        }
        // Beside the last time that it has the stream, nobody else can tell.
        Phase::GoOn | Phase::GoOnFailed if get(cx.state, stream, Field::Depth) > 1 => Ok(Part::Now),
        Phase::GoOn | Phase::GoOnFailed | Phase::End => Ok(Part::Act(on_stream(cx, stream, Op::Hidden))),
        Phase::Close => {
            let fd = descriptor(cx.state, stream);
            Ok(Part::Act(Action {
                object2: table::slot_object(fd),
                ..hidden(cx, table::TABLE)
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
    let pipe = open.kind == Kind::Pipe;
    if phase == Phase::Seek {
        return Ok(Part::Act(on_file(
            cx,
            open.file,
            open.kind,
            Op::Hidden,
            MemoryOrder::NotAtomic,
        )));
    }
    if matches!(open.kind, Kind::Null | Kind::Zero | Kind::Output) {
        return Ok(Part::Now);
    }
    if pipe && cx.program.cancels && !alone(cx) {
        // In glibc this is a cancellation point that gives the lock back.
        let what = "waiting in a stream operation, in a program that cancels threads";
        return Err(Flow::Unsupported(what.into()));
    }
    let (condition, order) = if phase == Phase::Fill {
        (Condition::Data, MemoryOrder::Acquire)
    } else {
        let left = get(cx.state, stream, Field::Pending) - get(cx.state, stream, Field::Flushed);
        (Condition::Room(transfer::needed(left)), MemoryOrder::Release)
    };
    wait_for(cx, condition);
    let op = if pipe { Op::HiddenWait } else { Op::Hidden };
    Ok(Part::Act(on_file(cx, open.file, open.kind, op, order)))
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
                // The call is made again once the value is known.
                give_back(cx, stream);
            }
            worked
        }
        Phase::GoOn | Phase::GoOnFailed => work(cx, stream, worker, now == Phase::GoOnFailed),
        Phase::LookToFill | Phase::LookToFlush | Phase::LookToSeek => {
            let fd = descriptor(cx.state, stream);
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
            match transfer::move_to(cx, &open, offset, whence) {
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

/// What follows the look-up of a descriptor.
fn after_look(phase: Phase) -> Phase {
    match phase {
        Phase::LookToFill => Phase::Fill,
        Phase::LookToFlush => Phase::Flush,
        _ => Phase::Seek,
    }
}

/// Goes on with a call's work.
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

/// An operation on the file has failed: the stream remembers.
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
    if !content::readable(cx.state, &open) {
        return fails(cx, stream, EAGAIN);
    }
    let to = buffer(cx, stream)?;
    let position = table::position(cx.state, open.number);
    let bytes = content::available(cx.state, &open, size(cx.state, stream), position);
    content::read_at(cx, &open, to + PUSH_BACK, bytes, position);
    if open.kind == Kind::Regular && bytes > 0 {
        table::set_position(cx.state, open.number, position + bytes);
    }
    set(cx.state, stream, Field::Begin, PUSH_BACK);
    set(cx.state, stream, Field::End, PUSH_BACK + bytes);
    if bytes == 0 {
        raise(cx.state, stream, AT_END);
    }
    Ok(After::Next(Phase::GoOn, Outcome::Done))
}

/// Writes what waits in the buffer, or as much as a pipe has room for.
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
    match open.kind {
        Kind::Pipe if table::flags(cx.state, open.number) & NONBLOCK != 0 => {
            return Err(Flow::Unsupported("a stream on a pipe that does not block".into()));
        }
        Kind::Pipe => match transfer::piece(cx, &open, from, left, left)? {
            Piece::Written(bytes) if bytes < left => {
                set(cx.state, stream, Field::Flushed, flushed + bytes);
                return Ok(After::Next(Phase::Flush, Outcome::Done));
            }
            Piece::Written(_) => {}
            Piece::Failed(error) => {
                flushed_all(cx, stream);
                return fails(cx, stream, error);
            }
        },
        Kind::Regular => {
            let position = transfer::write_position(cx, &open);
            content::write_at(cx, open.file, from, left, position)?;
            table::set_position(cx.state, open.number, position + left);
        }
        Kind::Output => print(cx, from, left)?,
        Kind::Null | Kind::Zero => {}
    }
    flushed_all(cx, stream);
    Ok(After::Next(Phase::GoOn, Outcome::Done))
}

fn flushed_all(cx: &mut Cx<'_>, stream: u32) {
    set(cx.state, stream, Field::Pending, 0);
    set(cx.state, stream, Field::Flushed, 0);
    lower(cx.state, stream, FLUSH);
}

/// Prints bytes of a buffer.
fn print(cx: &mut Cx<'_>, from: u64, bytes: u64) -> Result<(), Stop> {
    let (mut text, mut open) = (Vec::new(), Vec::new());
    for at in from..from + bytes {
        let byte = cx.state.memory.peek_checked(at, 1);
        if byte.is_symbolic() {
            open.push(Hole {
                at: text.len(),
                spec: holes::CHARACTER,
                value: byte,
            });
            text.extend_from_slice(holes::MARK);
        } else if byte.is_concrete() {
            text.push(byte.bits as u8);
        } else {
            return Err(cx.undefined(byte, "byte of an output"));
        }
    }
    cx.state.print_open(&text, &open);
    Ok(())
}

/// Gives up the descriptor of a stream that is to end.
fn close(cx: &mut Cx<'_>, stream: u32) -> Performs {
    let fd = descriptor(cx.state, stream);
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
