//! Files, standard input, pipes, and waiting for them: a small POSIX, deterministic, all of it in
//! the state.
//!
//! There is no real file system behind it. Standard input is a regular file, empty unless the
//! options say otherwise. A file exists if the options name it or the program has created it; one
//! may be created in the working directory, in `/tmp`, `/var/tmp`, and where the options' files
//! are. `/dev/null` and `/dev/zero` exist, what else lies in `/dev`, `/proc` and `/sys` is
//! unsupported. Times of files are 0, their owner is user 1000. What is written to descriptors 1
//! and 2 goes to the captured output.
//!
//! **Shared state.** Each operation is a sequence of visible actions as soon as there are several
//! threads, as in a kernel:
//!
//! | action | object | class |
//! | --- | --- | --- |
//! | looking up what a descriptor stands for | the descriptor | `Look`: two look-ups commute |
//! | opening, closing, naming: the lowest free number is taken or given back | the table | `Hidden` |
//! | making a descriptor stand for an open file, or for none | the descriptor | `Hidden` |
//! | reading, writing, seeking, the file's length and flags | the file | `Hidden`; `HiddenWait` if it may block |
//! | an operation of a stream (`streams`) | the stream | `HiddenWait`: one thread has it at a time |
//!
//! So two threads that use different files, or open descriptors of one pipe, commute where real
//! ones do, and what a call looked up it keeps, whoever closes the descriptor meanwhile. (Closing
//! an open file for good while another thread waits in an operation on it is unsupported: POSIX
//! does not say what happens.)
//!
//! **Happens-before.** What is written to a pipe, and the closing of its last writing end, happens
//! before what reads it: all earlier writes, since the pipe's lock orders them. Regular files and
//! the locks of streams order nothing: data that two threads hand each other otherwise must not
//! rely on them. Accesses to the program's buffers are ordinary ones, of the bytes that are really
//! transferred. Under visibility `memory`, transferring to or from memory that threads share is
//! unsupported while there are several.
//!
//! Contents are objects of the machine's memory that no pointer of the program reaches; transfers
//! copy bytes with whatever is known of them, undefined bits included.
//!
//! Missed: SIGPIPE ends the process, and is unsupported unless it is ignored; directories; locks of
//! files; sockets.

mod content;
mod descriptors;
mod names;
mod open;
mod poll;
mod stream_ops;
mod stream_write;
mod streams;
mod table;
mod transfer;

pub(crate) use names::load;
pub(crate) use poll::NAMES as POLLS;
pub(crate) use streams::objects as stream_objects;
pub(crate) use table::{ignore_pipe_signal, object_text};

use crate::memory::Kind as MemoryKind;
use crate::native::{Cx, Flow, Native, Performed, Prepared, Stop};
use crate::phase::Phase;
use crate::state::State;
use crate::value::Value;
use crate::visibility;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, MemoryOrder, ObjectId, Op, Outcome, Pending, Status};
use table::{Kind, OpenFile};

/// The models of this module.
pub fn find(name: &str) -> Option<Native> {
    open::find(name)
        .or_else(|| descriptors::find(name))
        .or_else(|| transfer::find(name))
        .or_else(|| poll::find(name))
        .or_else(|| streams::find(name))
        .or_else(|| stream_ops::find(name))
}

pub(super) use stream_write::{
    FPUTC, FPUTC_UNLOCKED, FPUTS, FPUTS_UNLOCKED, FWRITE, FWRITE_UNLOCKED, Writer, formatted,
    perform as perform_writer, prepare as prepare_writer,
};
pub(super) use transfer::{is_output as is_output_descriptor, put_text};

/// Error numbers of Linux.
mod errno {
    pub const EPERM: i32 = 1;
    pub const ENOENT: i32 = 2;
    pub const EBADF: i32 = 9;
    pub const EAGAIN: i32 = 11;
    pub const EACCES: i32 = 13;
    pub const EEXIST: i32 = 17;
    pub const EISDIR: i32 = 21;
    pub const EINVAL: i32 = 22;
    pub const EMFILE: i32 = 24;
    pub const ENOTTY: i32 = 25;
    pub const ESPIPE: i32 = 29;
    pub const EPIPE: i32 = 32;
    pub const ENAMETOOLONG: i32 = 36;
}

// ---- operations of several actions
// -------------------------------------------------------------------------------

/// An operation. `Core::phase` says which part comes next; `Core::note` and `Core::wait` hold what it keeps
/// between them, and are 0 at its end.
pub(super) struct Operation {
    /// The action of the next part.
    part: fn(&mut Cx<'_>) -> Result<Part, Stop>,
    /// Performs the next part.
    perform: fn(&mut Cx<'_>) -> Result<After, Stop>,
}

/// What comes next.
enum Part {
    /// This action.
    Act(Action),
    /// Something that no other thread can see.
    Now,
    /// Nothing: the call returns.
    Done(u64),
}

/// What came of a part.
enum After {
    /// Another part follows, at this phase.
    Next(Phase, Outcome),
    /// The call returns.
    Done(u64, Outcome),
}

/// What the functions of an operation answer.
type Parted = Result<Part, Stop>;
type Performs = Result<After, Stop>;

/// The model of an operation.
macro_rules! operation {
    ($part:expr, $perform:expr) => {
        crate::native::Native::Visible(crate::native::Visible {
            prepare: |cx| {
                crate::libc::files::prepare(
                    cx,
                    &crate::libc::files::Operation {
                        part: $part,
                        perform: $perform,
                    },
                )
            },
            perform: |cx, _| {
                crate::libc::files::perform(
                    cx,
                    &crate::libc::files::Operation {
                        part: $part,
                        perform: $perform,
                    },
                )
            },
            numbers: crate::native::NO_ARGUMENT,
        })
    };
}
use operation;

fn phase(cx: &Cx<'_>) -> Phase {
    cx.state.thread(cx.thread).core.phase
}

fn alone(cx: &Cx<'_>) -> bool {
    cx.state.unjoined() == 0
}

/// The next visible action. While there is only one thread, parts that need not wait are performed
/// at once.
fn prepare(cx: &mut Cx<'_>, operation: &Operation) -> Prepared {
    loop {
        let part = match (operation.part)(cx) {
            Ok(part) => part,
            Err(flow) => return Prepared::Immediate(finish(cx, flow)),
        };
        match part {
            Part::Done(value) => return Prepared::Immediate(finish(cx, Flow::word(value))),
            Part::Act(action)
                if !alone(cx) || crate::sync::status(cx.state, &action).0 != Status::Enabled =>
            {
                return Prepared::Visible(action);
            }
            Part::Act(_) | Part::Now => match (operation.perform)(cx) {
                Ok(After::Next(phase, _)) => cx.state.own_core(cx.thread).phase = phase,
                Ok(After::Done(value, _)) => return Prepared::Immediate(finish(cx, Flow::word(value))),
                Err(flow) => return Prepared::Immediate(finish(cx, flow)),
            },
        }
    }
}

/// Performs the next part.
fn perform(cx: &mut Cx<'_>, operation: &Operation) -> Performed {
    match (operation.perform)(cx) {
        Ok(After::Next(phase, outcome)) => {
            cx.state.own_core(cx.thread).phase = phase;
            Performed::Again(outcome)
        }
        Ok(After::Done(value, outcome)) => Performed::Done(finish(cx, Flow::word(value)), outcome),
        Err(flow) => Performed::Done(finish(cx, flow), Outcome::Failed),
    }
}

/// The end of a call; of a part, if that is made again once a symbolic value is known.
fn finish(cx: &mut Cx<'_>, flow: Flow) -> Flow {
    if matches!(flow, Flow::Symbolic(_) | Flow::Choose(_)) {
        return flow;
    }
    let core = cx.state.own_core(cx.thread);
    (core.phase, core.note) = (Phase::First, 0);
    core.wait = [ObjectId::NONE; 2];
    flow
}

/// The result of a call that failed: -1, and errno.
fn refused(cx: &mut Cx<'_>, error: i32) -> Performs {
    cx.set_errno(error)?;
    Ok(After::Done(u64::MAX, Outcome::Failed))
}

/// The same before an action was needed.
fn refused_at_once(cx: &mut Cx<'_>, error: i32) -> Parted {
    cx.set_errno(error)?;
    Ok(Part::Done(u64::MAX))
}

// ---- actions
// -------------------------------------------------------------------------------------------------

/// An action on a hidden object.
fn hidden(cx: &Cx<'_>, object: ObjectId) -> Action {
    cx.action(Op::Hidden, object.0)
}

/// An action on a file; `order` is what it means for a pipe.
fn on_file(cx: &Cx<'_>, file: u32, kind: Kind, op: Op, order: MemoryOrder) -> Action {
    let own = table::file_object(file);
    if kind != Kind::Pipe {
        return cx.action(op, own.0);
    }
    let (object, object2) = if cx.program.polls {
        (table::PIPES, own)
    } else {
        (own, ObjectId::NONE)
    };
    Action {
        object2,
        order,
        ..cx.action(op, object.0)
    }
}

/// Makes an action a cancellation point.
fn cancelable(cx: &Cx<'_>, action: Action) -> Part {
    Part::Act(Action {
        cancelable: cx.program.cancels,
        ..action
    })
}

/// What a blocked thread waits for: `Core::wait[1]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Condition {
    /// Something to read in the open file, or its end.
    Data,
    /// Room for so many bytes in the open file.
    Room(u64),
    /// A stream that no other thread has.
    Stream(u32),
    /// One of the open files that a poll has looked up.
    Ready,
}

impl Condition {
    fn word(self) -> ObjectId {
        ObjectId(match self {
            Condition::Data => 1,
            Condition::Room(bytes) => 2 | bytes << 8,
            Condition::Stream(stream) => 3 | u64::from(stream) << 8,
            Condition::Ready => 4,
        })
    }

    fn of(word: ObjectId) -> Option<Condition> {
        match word.0 & 0xff {
            1 => Some(Condition::Data),
            2 => Some(Condition::Room(word.0 >> 8)),
            3 => Some(Condition::Stream((word.0 >> 8) as u32)),
            4 => Some(Condition::Ready),
            _ => None,
        }
    }
}

/// Says what a `HiddenWait` of the acting thread waits for.
fn wait_for(cx: &mut Cx<'_>, condition: Condition) {
    cx.state.own_core(cx.thread).wait[1] = condition.word();
}

fn condition(state: &State, thread: ThreadId) -> Option<Condition> {
    Condition::of(state.thread(thread).core.wait[1])
}

/// Whether a `HiddenWait` can go on.
pub(crate) fn status(state: &State, action: &Action) -> Status {
    let can = match condition(state, action.thread) {
        Some(Condition::Data) => {
            pinned_by(state, action.thread).is_none_or(|open| content::has_data(state, &open))
        }
        Some(Condition::Room(bytes)) => {
            pinned_by(state, action.thread).is_none_or(|open| content::has_room(state, &open, bytes))
        }
        Some(Condition::Stream(stream)) => streams::is_free(state, stream, action.thread),
        Some(Condition::Ready) => poll::is_ready(state, action.thread),
        None => true,
    };
    if can { Status::Enabled } else { Status::Blocked }
}

/// What a thread that is blocked in a `HiddenWait` waits for, in words.
pub(crate) fn blocked_text(state: &State, action: &Action) -> String {
    match condition(state, action.thread) {
        Some(Condition::Data) => "waits for data in a pipe whose writing end is open".into(),
        Some(Condition::Room(_)) => "waits for room in a full pipe".into(),
        Some(Condition::Stream(_)) => "waits for a stream that another thread has locked".into(),
        Some(Condition::Ready) => "waits for one of several descriptors".into(),
        None => "waits in a library operation".into(),
    }
}

/// The thread that has the stream for which a blocked thread waits.
pub(crate) fn waits_for(state: &State, thread: ThreadId) -> Option<ThreadId> {
    match condition(state, thread)? {
        Condition::Stream(stream) => streams::holder(state, stream),
        _ => None,
    }
}

// ---- looked-up open files
// ----------------------------------------------------------------------------------------

/// Marks an open file in `Core::wait[0]`.
const PIN: u64 = 0x66 << 48;

/// The part that looks up a descriptor; -1 and EBADF if it cannot be one.
fn look_part(cx: &mut Cx<'_>, fd: i32) -> Parted {
    match u32::try_from(fd) {
        Ok(fd) if fd < table::MAX_DESCRIPTORS => Ok(Part::Act(cx.action(Op::Look, table::slot_object(fd).0))),
        _ => refused_at_once(cx, errno::EBADF),
    }
}

/// Looks up a descriptor and keeps its open file for the rest of the call.
fn look(cx: &mut Cx<'_>, fd: i32) -> Option<OpenFile> {
    let fd = u32::try_from(fd).ok()?;
    let open = table::descriptor(cx.state, fd)?;
    cx.state.own_core(cx.thread).wait[0] = ObjectId(PIN | u64::from(open));
    Some(table::open_file(cx.state, open))
}

/// The open file that a thread's present call has looked up.
fn pinned_by(state: &State, thread: ThreadId) -> Option<OpenFile> {
    let word = state.thread(thread).core.wait[0].0;
    (word & !0xffff_ffff == PIN).then(|| table::open_file(state, word as u32))
}

/// The open file that the present call has looked up.
fn pinned(cx: &Cx<'_>) -> Result<OpenFile, Stop> {
    pinned_by(cx.state, cx.thread)
        .ok_or_else(|| Flow::Unsupported("an operation on a file within another one".into()))
}

/// Whether another thread is within an operation on an open end of a pipe.
fn in_use(cx: &Cx<'_>, open: u32) -> bool {
    let within = |(i, p): &(usize, &Pending)| {
        *i != cx.thread.index()
            && p.action.op == Op::HiddenWait
            && matches!(p.status, Status::Enabled | Status::Blocked)
    };
    let mut threads = cx.state.pending.iter().enumerate().filter(within);
    threads.any(|(i, _)| {
        let thread = ThreadId::from_index(i);
        pinned_by(cx.state, thread).is_some_and(|it| it.number == open)
            || poll::has_pinned(cx.state, thread, open)
    })
}

// ---- the program's memory
// ----------------------------------------------------------------------------------------

/// That an operation may access memory of the program within its action.
fn may_access(cx: &Cx<'_>, address: u64) -> Result<(), Stop> {
    if !visibility::shows(cx.program, cx.state, cx.thread) {
        return Ok(());
    }
    match cx.state.memory.object_at(address) {
        Some((_, object)) if matches!(object.kind, MemoryKind::PrivateStack | MemoryKind::Constant) => Ok(()),
        _ => {
            let what = "files, to or from memory that threads may share, under visibility memory";
            Err(Flow::Unsupported(what.into()))
        }
    }
}

/// Checks and records an access to the program's memory.
fn access(cx: &mut Cx<'_>, address: u64, size: u64, write: bool) -> Result<(), Stop> {
    if size > 0 {
        may_access(cx, address)?;
    }
    cx.access(address, size, write)
}

/// The string at an address, all defined.
fn string(cx: &mut Cx<'_>, address: u64, what: &str) -> Result<Vec<u8>, Stop> {
    may_access(cx, address)?;
    super::bytes::string(cx, address, what)
}

/// Stores a word to the program's memory.
fn store(cx: &mut Cx<'_>, address: u64, size: u64, value: u64) -> Result<(), Stop> {
    may_access(cx, address)?;
    cx.store(address, size, Value::new(value))
}
