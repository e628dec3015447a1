//! Decides whether a thread that waits in an operation on a file can continue.

use super::condition::Condition;
use super::content::NONBLOCK;
use super::description::Way;
use super::pin::pinned_by;
use super::table::{self, OpenFile};
use super::{kinds, locks, polled, stream_fields};
use crate::libc::deadline::Deadline;
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use selvedge_base::ThreadId;
use selvedge_model::{Action, Status};

/// Sets the condition that a `HiddenWait` of the acting thread waits for.
pub(super) fn wait_for(cx: &mut Cx<'_>, condition: Condition) {
    cx.state.own_core(cx.thread).wait[1] = condition.word();
}

fn condition(state: &State, thread: ThreadId) -> Option<Condition> {
    Condition::of(state.thread(thread).core.wait[1])
}

/// Whether a `HiddenWait` is enabled.
pub(crate) fn status(state: &State, action: &Action) -> Status {
    let can = match condition(state, action.thread) {
        Some(Condition::Data) => pinned_by(state, action.thread)
            .is_none_or(|open| !waits(state, &open, Way::In) || open.description().can_read(state, &open)),
        Some(Condition::Room(bytes)) => pinned_by(state, action.thread).is_none_or(|open| {
            !waits(state, &open, Way::Out) || open.description().can_write(state, &open, bytes)
        }),
        Some(Condition::Stream(stream)) => stream_fields::is_free(state, stream, action.thread),
        Some(Condition::Ready) => polled::is_ready(state, action.thread),
        Some(Condition::Connection) => pinned_by(state, action.thread)
            .is_none_or(|open| !waits(state, &open, Way::In) || kinds::has_connection(state, open.file)),
        Some(Condition::Place(listener)) => pinned_by(state, action.thread)
            .is_none_or(|open| !waits(state, &open, Way::Out) || kinds::has_place(state, listener)),
        Some(Condition::Lock(exclusive)) => {
            pinned_by(state, action.thread).is_none_or(|open| locks::is_free(state, &open, exclusive))
        }
        None => true,
    };
    if can { Status::Enabled } else { Status::Blocked }
}

/// Whether another process could end the wait of a thread that is about to wait.
pub(super) fn is_open_to_others(state: &State, thread: ThreadId) -> bool {
    match condition(state, thread) {
        Some(Condition::Data | Condition::Connection) => {
            pinned_by(state, thread).is_some_and(|open| open.description().is_open_to_others(state, &open))
        }
        Some(Condition::Ready) => polled::is_open_to_others(state, thread),
        _ => false,
    }
}

/// The result of a wait that no thread of the program ends.
pub(super) fn for_others(cx: &Cx<'_>) -> Stop {
    if !cx.program.options.other_peers {
        return Flow::Park;
    }
    Flow::Unsupported(
        "a peer outside the program, for which a socket waits (--other-peers off: nobody comes)".into(),
    )
}

/// Whether operations on an open file wait until they can go on. Others fail at once, or may do so
/// at any moment, after a time-out.
pub(super) fn waits(state: &State, open: &OpenFile, way: Way) -> bool {
    table::flags(state, open.number) & NONBLOCK == 0
        && open.description().time_out(state, open.file, way) == 0
}

/// What the end of a wait says of the thread's clock, if there is a time-out.
pub(super) fn waited(cx: &mut Cx<'_>, open: &OpenFile, way: Way, timed_out: bool) {
    let seconds = open.description().time_out(cx.state, open.file, way);
    if seconds > 0 && table::flags(cx.state, open.number) & NONBLOCK == 0 {
        Deadline::after(cx, seconds, 0).over(cx, timed_out);
    }
}

/// The text for a thread without a specific condition.
const OPERATION: &str = "waits in a library operation";

/// The text that says what a thread blocked in a `HiddenWait` waits for.
pub(crate) fn blocked_text(state: &State, action: &Action) -> String {
    match condition(state, action.thread) {
        Some(Condition::Data) => match pinned_by(state, action.thread) {
            Some(open) => open.description().waits_to_read().into(),
            None => OPERATION.into(),
        },
        Some(Condition::Room(_)) => match pinned_by(state, action.thread) {
            Some(open) => open.description().waits_to_write().into(),
            None => OPERATION.into(),
        },
        Some(Condition::Stream(_)) => "waits for a stream that another thread has locked".into(),
        Some(Condition::Ready) => "waits for one of several descriptors".into(),
        Some(Condition::Connection) => "waits for a connection".into(),
        Some(Condition::Place(_)) => "waits to be accepted, by a socket with a full backlog".into(),
        Some(Condition::Lock(_)) => "waits for a lock of a file (flock)".into(),
        None => OPERATION.into(),
    }
}

/// The thread that holds the stream that a blocked thread waits for.
pub(crate) fn waits_for(state: &State, thread: ThreadId) -> Option<ThreadId> {
    match condition(state, thread)? {
        Condition::Stream(stream) => stream_fields::holder(state, stream),
        _ => None,
    }
}
