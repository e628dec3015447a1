//! Synchronisation: POSIX threads, semaphores, C11 threads.
//!
//! One blocking-object abstraction: a [`SyncObject`] for each address, a visible [`Action`](selvedge_model::Action) for each operation, and
//! [`status`] that says from both whether the action is enabled. The deadlock detector therefore sees every primitive.

pub mod lifecycle;

use crate::native::Native;
use crate::state::State;
use selvedge_base::ThreadId;
use selvedge_model::{Action, Op, Status};

/// The state of a synchronisation object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyncObject {
    /// A mutex.
    Mutex {
        /// Who holds it.
        owner: Option<ThreadId>,
    },
}

/// The native model of a threading function.
pub fn find(name: &str) -> Option<Native> {
    lifecycle::find(name)
}

/// Whether an action of a thread is enabled in the present state, and how many alternatives it has then.
pub fn status(state: &State, action: &Action) -> (Status, u16) {
    let _ = state;
    match action.op {
        Op::Join => lifecycle::join_status(state, action),
        _ => (Status::Enabled, 1),
    }
}

/// The thread that holds what a thread waits for, if there is one.
pub fn waits_for(state: &State, thread: ThreadId) -> Option<ThreadId> {
    use selvedge_base::Id;
    state.pending[thread.index()].action.object.as_thread().filter(|t| *t != thread)
}

/// Whether an action is a cancellation point.
pub fn is_cancellation_point(action: &Action) -> bool {
    let _ = action;
    false
}

/// An operation in words.
pub fn op_text(op: Op) -> &'static str {
    match op {
        Op::Join => "join",
        _ => "action",
    }
}

/// Why a thread does not move.
pub fn blocked_text(program: &crate::Program, state: &State, thread: ThreadId) -> String {
    let _ = (program, state);
    format!("thread {thread} waits")
}
