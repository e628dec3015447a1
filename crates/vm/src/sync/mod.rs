//! Synchronisation: POSIX threads, semaphores, C11 threads, thread support of C++.
//!
//! One blocking-object abstraction: a [`SyncObject`] for each address, a visible [`Action`] for
//! each operation, and [`status`] that says from both whether the action is enabled. The deadlock
//! detector therefore sees every primitive.
//!
//! What POSIX leaves undefined is a fault; it is checked when the operation is performed, since it
//! depends on the order. What an operation needs to know at once (whether the thread holds a lock)
//! is only what no other thread can change.

mod attr;
mod barrier;
mod c11;
mod cancel;
mod claim;
mod cond;
mod creation;
mod cxx;
mod errno;
pub mod fuse;
mod futex;
pub(crate) mod join;
mod key;
pub mod lifecycle;
mod mutex;
mod object;
mod once;
mod rwlock;
mod sem;
mod sleep;
mod spin;
mod text;

pub use cancel::{act, acts, arm, is_cancellation_point};
pub(crate) use cond::{is_wait, wait_ends_by};
pub(crate) use creation::thread_of;
pub(crate) use futex::word_of as futex_word;
pub(crate) use key::{create_key, is_of_deleted_key};
pub use object::{Kind, Mutex, MutexKind, Once, Robust, SyncObject};
pub use text::{blocked_text, waits_for};

use crate::native::Native;
use crate::phase::Phase;
use crate::state::State;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Needs, Op, Pending, Status};

/// The native model of a threading function.
pub fn find(name: &str) -> Option<Native> {
    mutex::find(name)
        .or_else(|| cond::find(name))
        .or_else(|| futex::find(name))
        .or_else(|| claim::find(name))
        .or_else(|| rwlock::find(name))
        .or_else(|| barrier::find(name))
        .or_else(|| spin::find(name))
        .or_else(|| sem::find(name))
        .or_else(|| once::find(name))
        .or_else(|| key::find(name))
        .or_else(|| attr::find(name))
        .or_else(|| sleep::find(name))
        .or_else(|| cancel::find(name))
        .or_else(|| lifecycle::find(name))
        .or_else(|| c11::find(name))
        .or_else(|| cxx::find(name))
}

/// [`needed`]: nothing of what other threads do.
pub const NOTHING: u64 = 0;
/// [`needed`]: more than one object.
pub const ANYTHING: u64 = u64::MAX;

/// The object whose changes may enable or disable a pending action, or change its alternatives: the
/// counterpart of [`status`].
#[inline]
pub fn needed(pending: &Pending) -> u64 {
    match pending.status {
        Status::Enabled | Status::Blocked => {}
        // For others to have had their turn, or for a compare-exchange to fail.
        Status::Held => return ANYTHING,
        Status::Finished | Status::Parked => return NOTHING,
    }
    match pending.action.op.info().needs {
        Needs::Nothing => NOTHING,
        Needs::Object => pending.action.object.0,
        Needs::Anything => ANYTHING,
        // Whether a weak compare-exchange may fail without cause: what the others do to memory
        // decides.
        Needs::IfMayFail if pending.action.may_fail => ANYTHING,
        Needs::IfMayFail => NOTHING,
    }
}

/// Whether an action of a thread is enabled in the present state, and how many alternatives it has
/// then.
#[inline]
pub fn status(state: &State, action: &Action) -> (Status, u16) {
    let status = match action.op {
        Op::Lock => mutex::lock_status(state, action),
        Op::Join => join::join_status(state, action),
        Op::SpinLock => spin::status(state, action),
        Op::RdLock | Op::WrLock => rwlock::status(state, action),
        Op::SemWait => sem::status(state, action),
        Op::Claim => claim::status(state, action),
        Op::BarrierLeave => barrier::leave_status(state, action),
        Op::OnceEnter => once::enter_status(state, action),
        Op::Destroy => barrier::destroy_status(state, action),
        Op::WaitAcquire => cond::acquire_status(state, action),
        Op::WaitTimeout => {
            return (
                Status::Enabled,
                cond::timeout_alternatives(state, action.thread).max(1),
            );
        }
        Op::WaitRelease => return (Status::Enabled, cond::release_alternatives(state)),
        Op::FutexWait => return (Status::Enabled, futex::wait_alternatives(state, action)),
        Op::FutexWoken => futex::woken_status(state, action),
        Op::Signal if action.object.as_queue().is_some() => {
            return (Status::Enabled, futex::wake_alternatives(state, action.object));
        }
        Op::Signal => return (Status::Enabled, cond::signal_alternatives(state, action.object.0)),
        Op::ProcessExit => lifecycle::process_exit_status(state, action),
        Op::Choose => return (Status::Enabled, state.path().arms(action.thread).len() as u16),
        Op::HiddenWait => waiting_status(state, action),
        _ => Status::Enabled,
    };
    (status, 1)
}

/// Whether a `HiddenWait` can go on. What somebody outside the program could end goes on, too, once
/// nobody else can: the wait is then for a peer that is not modelled, and no deadlock.
fn waiting_status(state: &State, action: &Action) -> Status {
    let own = crate::libc::files::status(state, action);
    if own == Status::Enabled || !action.may_fail {
        return own;
    }
    let ended = |t: &crate::thread::Thread| t.core.phase == Phase::ProcessEnded;
    if state.threads().iter().any(ended) {
        return own;
    }
    let others = state.pending().iter().enumerate();
    let mut others = others.filter(|(i, _)| *i != action.thread.index());
    let moves = |p: &Pending| p.status.is_alive() && moves_by_itself(state, &p.action);
    if others.any(|(_, p)| p.action.op == Op::ProcessExit && p.status != Status::Finished || moves(p)) {
        return own;
    }
    Status::Enabled
}

/// Whether an action is enabled by what the program does.
pub(crate) fn moves_by_itself(state: &State, action: &Action) -> bool {
    match action.op {
        Op::HiddenWait => crate::libc::files::status(state, action) == Status::Enabled,
        Op::ProcessExit => false,
        _ => status(state, action).0 == Status::Enabled,
    }
}

/// Makes an action the pending one of a thread that another thread's operation has moved on.
pub(crate) fn refresh(state: &mut State, thread: ThreadId, action: Action) {
    let (status, alternatives) = status(state, &action);
    state.set_pending(
        thread,
        Pending {
            action,
            status,
            alternatives,
        },
    );
}
