//! Whether an action is enabled, by the state of its object.

use super::object::{Once, SyncObject};
use super::{atomic_block, barrier, channel, claim, mutex, rwlock, sem, spin, wait_set};
use crate::phase::Phase;
use crate::state::State;
use crate::thread::Stage;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Op, Pending, Status};

/// Whether an action of a thread is enabled in the present state, and how many alternatives it has
/// then.
#[inline]
pub fn status(state: &State, action: &Action) -> (Status, u16) {
    if action.blocks.is_some() && atomic_block::stopped(state, action.blocks).is_some() {
        return (Status::Blocked, 1);
    }
    let status = match action.op {
        Op::Lock => mutex::lock_status(state, action),
        Op::Join => join_status(state, action),
        Op::SpinLock => spin::status(state, action),
        Op::RdLock | Op::WrLock => rwlock::status(state, action),
        Op::SemWait => sem::status(state, action),
        Op::Claim => return claim::status(state, action),
        Op::Channel => channel::status(state, action),
        Op::BarrierLeave => barrier::leave_status(state, action),
        Op::OnceEnter => once_status(state, action),
        Op::Destroy => barrier::destroy_status(state, action),
        Op::WaitAcquire => {
            let alternatives = wait_set::acquire_alternatives(state, action);
            return (wait_set::acquire_status(state, action), alternatives);
        }
        Op::WaitTimeout => {
            return (
                Status::Enabled,
                wait_set::timeout_alternatives(state, action.thread).max(1),
            );
        }
        Op::WaitRelease | Op::WaitReleaseWord => {
            return (Status::Enabled, wait_set::release_alternatives(state));
        }
        Op::FutexWait => return (Status::Enabled, wait_set::wait_alternatives(state, action)),
        Op::FutexWoken => wait_set::woken_status(state, action),
        Op::Signal if action.object.as_queue().is_some() => {
            return (Status::Enabled, wait_set::wake_alternatives(state, action.object));
        }
        Op::Signal => {
            return (
                Status::Enabled,
                wait_set::signal_alternatives(state, action.object.0),
            );
        }
        Op::ProcessExit => process_exit_status(state, action),
        Op::Choose => return (Status::Enabled, state.path().arms(action.thread).len() as u16),
        Op::HiddenWait => waiting_status(state, action),
        Op::AtomicBlock => match action.object.as_blocks() {
            Some(class) if atomic_block::stopped(state, class).is_some() => Status::Blocked,
            _ => Status::Enabled,
        },
        // A new operation decides here whether it may block.
        Op::Start
        | Op::Spawn
        | Op::Detach
        | Op::Exit
        | Op::Assume
        | Op::Yield
        | Op::TryLock
        | Op::TimedLock
        | Op::Unlock
        | Op::BadUnlock
        | Op::SpinTryLock
        | Op::SpinUnlock
        | Op::TryRdLock
        | Op::TimedRdLock
        | Op::RdUnlock
        | Op::TryWrLock
        | Op::TimedWrLock
        | Op::WrUnlock
        | Op::Broadcast
        | Op::BarrierArrive
        | Op::SemPost
        | Op::SemTryWait
        | Op::SemTimedWait
        | Op::SemGetValue
        | Op::OnceDone
        | Op::Init
        | Op::OwnerDied
        | Op::Consistent
        | Op::Cancel
        | Op::CancelPoint
        | Op::Read
        | Op::Write
        | Op::Rmw
        | Op::Add
        | Op::Hidden
        | Op::Look => Status::Enabled,
    };
    (status, 1)
}

/// Whether the process may end: every other thread is finished, blocked or parked.
fn process_exit_status(state: &State, action: &Action) -> Status {
    let me = action.thread.index();
    let moves = |(i, p): (usize, &Pending)| {
        i != me && p.status.is_alive() && p.action.op != Op::ProcessExit && moves_by_itself(state, &p.action)
    };
    if state.pending().iter().enumerate().any(moves) {
        Status::Blocked
    } else {
        Status::Enabled
    }
}

/// Whether a join can go on. One that is wrong fails at once.
pub(super) fn join_status(state: &State, action: &Action) -> Status {
    let over = |t: ThreadId| {
        let core = &state.thread(t).core;
        // A thread that ended the process has not ended itself: nobody goes on after it.
        let ended = core.stage == Stage::Finished && state.pending()[t.index()].action.op != Op::ProcessExit;
        ended || core.detached || core.joined
    };
    if action.object.as_thread().is_none_or(over) {
        Status::Enabled
    } else {
        Status::Blocked
    }
}

/// Whether a thread may enter.
fn once_status(state: &State, action: &Action) -> Status {
    match state.sync(action.object.0) {
        Some(SyncObject::Once(Once::Running(_))) => Status::Blocked,
        _ => Status::Enabled,
    }
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
