//! Visible actions that need no transition of their own ([`Part`]s of the one before them), for
//! explorers that ask for it.
//!
//! An action may be performed at once, with what its thread did before, if from here on no other
//! thread can do anything dependent on it before it: then every execution is equivalent to one
//! where it comes at once (a *left mover*, Lipton 1975; for the explorer: {its thread} is a
//! persistent set). That holds of
//!
//! - giving back a lock: all that others can do to a lock that is held is to wait for it;
//! - joining a thread that has ended: nobody else minds. A thread that waits for just this goes on
//!   within the step in which the other one ends;
//! - the end of the process when all other threads have ended.
//!
//! But: a lock may be tried, destroyed, or given back by somebody else while it is held, and a
//! thread may be joined by two, detached or cancelled. Where the functions for that are in the
//! program, nothing is fused that they would notice (`Fusible`); destroying, and what is a
//! mistake, is often there and never comes to pass while threads run: if it does after all, the
//! exploration is *spoiled* ([`spoils`]) and has to be made again without parts. (Until then every
//! execution is equivalent to one that the reduced exploration has; so it meets such an action if
//! any execution does.)
//!
//! What a join learns holds only for what comes after it, but an event has one clock. So nothing
//! that others depend on may follow a join within one transition: no unlock, and no end of the
//! thread.

use super::fusible::Fusible;
use super::object::{Kind, SyncObject};
use super::status::join_status;
use crate::state::State;
use crate::thread::Stage;
use selvedge_base::Id;
use selvedge_model::{Action, ObjectId, Op, Outcome, Part, Status};

/// Whether a thread's next action can be performed at once, as a part of the present step.
pub fn fuses(state: &State, program: Fusible, action: &Action) -> bool {
    match action.op {
        Op::Join => program.joins && has_ended(state, action),
        _ => gives_back(program, action) && !has_joined(state),
    }
}

/// Whether it is giving back a lock that nobody tries.
const fn gives_back(program: Fusible, action: &Action) -> bool {
    match action.op {
        Op::Unlock => program.mutexes,
        Op::RdUnlock | Op::WrUnlock => program.rwlocks,
        Op::SpinUnlock => program.spins,
        _ => false,
    }
}

/// Whether an action, as a transition of its own, is a left mover: those above, creating a thread
/// if nothing is written with that, and a thread's end if all that others do is to wait for it.
pub fn moves_left(state: &State, program: Fusible, action: &Action) -> bool {
    let alone = action.object2 == ObjectId::NONE && !action.cancelable;
    match action.op {
        Op::Join => program.joins && alone && has_ended(state, action),
        Op::Spawn | Op::Exit => program.joins && alone,
        _ => !action.cancelable && gives_back(program, action),
    }
}

/// Whether an action that a thread comes to is one that an earlier part may have hidden something
/// from.
pub fn spoils(state: &State, action: &Action) -> bool {
    match action.op {
        Op::BadUnlock => true,
        Op::Destroy => match state.sync(action.object.0).map(SyncObject::kind) {
            None | Some(Kind::Mutex | Kind::RwLock | Kind::Spin) => action.object.is_address(),
            Some(_) => false,
        },
        Op::Join => action
            .object
            .as_thread()
            .is_some_and(|t| state.thread(t).core.joined),
        _ => false,
    }
}

fn has_ended(state: &State, action: &Action) -> bool {
    let ended = |core: &crate::thread::Core| core.stage == Stage::Finished && !core.joined && !core.detached;
    action
        .object
        .as_thread()
        .is_some_and(|t| ended(&state.thread(t).core))
        && join_status(state, action) == Status::Enabled
}

/// Whether a thread was joined within the present step.
pub fn has_joined(state: &State) -> bool {
    state.parts().iter().any(|part| part.action.op == Op::Join)
}

/// Whether the process can end at once.
pub fn all_others_ended(state: &State, me: selvedge_base::ThreadId) -> bool {
    let mut threads = state.threads().iter().enumerate();
    threads.all(|(i, t)| i == me.index() || t.core.stage == Stage::Finished)
}

/// Notes a part about to be performed.
pub fn begin(state: &mut State, action: Action) {
    let context = state.thread(action.thread).core.frame.context;
    let accesses = state.memory.begin_part();
    state.push_part(Part {
        action,
        context,
        outcome: Outcome::Done,
        accesses,
    });
}

/// Objects that the parts of the present step may have changed for others.
pub fn changed(state: &State) -> impl Iterator<Item = ObjectId> {
    state.parts().iter().map(|part| part.action.object)
}
