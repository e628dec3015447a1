//! Operations of several actions. Each part is prepared, scheduled and performed separately.

use crate::native::{Cx, Flow, Performed, Prepared, Stop};
use crate::phase::Phase;
use selvedge_model::{Action, ObjectId, Outcome, Status};

/// An operation. `Core::phase` identifies the next part. `Core::note` and `Core::wait` hold data
/// between parts; they are 0 at the end.
pub(in crate::libc) struct Operation {
    /// The action of the next part.
    pub part: fn(&mut Cx<'_>) -> Result<Part, Stop>,
    /// Performs the next part.
    pub perform: fn(&mut Cx<'_>) -> Result<After, Stop>,
}

/// The next part.
pub(super) enum Part {
    /// This action.
    Act(Action),
    /// This action, also while there is only one thread.
    Always(Action),
    /// A part that no other thread can observe, performed at once.
    Now,
    /// No part: the call returns this value.
    Done(u64),
}

/// The result of a part.
pub(super) enum After {
    /// Another part follows, at this phase.
    Next(Phase, Outcome),
    /// The call returns.
    Done(u64, Outcome),
}

/// The results of the functions of an operation.
pub(super) type Parted = Result<Part, Stop>;
pub(super) type Performs = Result<After, Stop>;

/// The model of an operation.
macro_rules! operation {
    ($part:expr, $perform:expr) => {
        crate::native::Native::Visible(crate::native::Visible {
            prepare: |cx| {
                crate::libc::files::operation::prepare(
                    cx,
                    &crate::libc::files::operation::Operation {
                        part: $part,
                        perform: $perform,
                    },
                )
            },
            perform: |cx, _| {
                crate::libc::files::operation::perform(
                    cx,
                    &crate::libc::files::operation::Operation {
                        part: $part,
                        perform: $perform,
                    },
                )
            },
            numbers: crate::native::NO_ARGUMENT,
        })
    };
}
pub(super) use operation;

pub(super) fn phase(cx: &Cx<'_>) -> Phase {
    cx.state.thread(cx.thread).core.phase
}

pub(super) fn alone(cx: &Cx<'_>) -> bool {
    cx.state.unjoined() == 0
}

/// Whether an action ends its thread, whose cancellation was requested.
fn ends(cx: &Cx<'_>, action: &Action) -> bool {
    action.cancelable && cx.state.thread(cx.thread).core.is_cancelled()
}

/// Returns the next visible action. While there is only one thread, parts that need not wait are
/// performed at once.
pub(super) fn prepare(cx: &mut Cx<'_>, operation: &Operation) -> Prepared {
    loop {
        let part = match (operation.part)(cx) {
            Ok(part) => part,
            Err(flow) => return Prepared::Immediate(finish(cx, flow)),
        };
        match part {
            Part::Done(value) => return Prepared::Immediate(finish(cx, Flow::word(value))),
            Part::Always(action) => return Prepared::Visible(action),
            Part::Act(action)
                if !alone(cx)
                    || ends(cx, &action)
                    || crate::sync::status(cx.state, &action).0 != Status::Enabled =>
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
pub(super) fn perform(cx: &mut Cx<'_>, operation: &Operation) -> Performed {
    match (operation.perform)(cx) {
        Ok(After::Next(phase, outcome)) => {
            cx.state.own_core(cx.thread).phase = phase;
            Performed::Again(outcome)
        }
        Ok(After::Done(value, outcome)) => Performed::Done(finish(cx, Flow::word(value)), outcome),
        Err(flow) => Performed::Done(finish(cx, flow), Outcome::Failed),
    }
}

/// Ends a call. If the part will be repeated once a symbolic value is known, ends only the part.
fn finish(cx: &mut Cx<'_>, flow: Flow) -> Flow {
    if matches!(flow, Flow::Symbolic(_) | Flow::Choose(_)) {
        return flow;
    }
    let core = cx.state.own_core(cx.thread);
    (core.phase, core.note) = (Phase::First, 0);
    core.wait = [ObjectId::NONE; 2];
    flow
}

/// The result of a call that failed: -1, with errno set.
pub(super) fn refused(cx: &mut Cx<'_>, error: i32) -> Performs {
    cx.set_errno(error)?;
    Ok(After::Done(u64::MAX, Outcome::Failed))
}

/// Like `refused`, if the call failed before it needed an action.
pub(super) fn refused_at_once(cx: &mut Cx<'_>, error: i32) -> Parted {
    cx.set_errno(error)?;
    Ok(Part::Done(u64::MAX))
}
