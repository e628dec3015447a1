//! Threads that wait on a condition variable or a futex: how many ways there are to begin and to
//! end a wait, and when it can end.

use super::mutex;
use super::object::{MutexKind, SyncObject};
use crate::phase::Phase;
use crate::state::State;
use crate::thread::Core;
use crate::value::Value;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, ObjectId, Status};

/// The size of a futex word in bytes.
pub(super) const WORD: u64 = 4;

/// `Core::note` before a wait on a futex: the expected value is a number, which is the lower half.
pub(super) const KNOWN: u64 = 1 << 32;

/// `Core::note` of a wait on a condition variable that a signal has ended.
pub(super) const SIGNALLED: u64 = 1;
/// `Core::note` of one that a broadcast has ended, or that has ended spuriously, in a program that
/// cancels threads; in others it is [`SIGNALLED`].
pub(super) const WOKEN: u64 = 4;
/// `Core::note` of a wait that has timed out.
pub(super) const TIMED_OUT: u64 = 2;
/// `Core::note` of a wait that has ended because its thread is cancelled.
pub(super) const CANCELLED: u64 = 3;

/// The result of a cancelled thread: `PTHREAD_CANCELED`.
pub(super) const CANCELED: Value = Value::new(u64::MAX);

/// How many ways there are to begin a wait: with spurious wakeups it may also end at once.
pub(super) fn release_alternatives(state: &State) -> u16 {
    1 + u16::from(state.modes().spurious_wakeups)
}

/// Why a thread leaves the wait set by itself, if it takes this alternative. In order: time-out,
/// cancellation.
pub fn wait_ends_by(state: &State, thread: ThreadId, alternative: u16) -> Option<u64> {
    let core = &state.thread(thread).core;
    let cancels = core.cancel.pending() && !is_on_futex(core);
    let reasons = [(core.timed, TIMED_OUT), (cancels, CANCELLED)];
    let mut possible = reasons.into_iter().filter(|(possible, _)| *possible);
    possible.nth(usize::from(alternative)).map(|(_, reason)| reason)
}

/// How many alternatives a waiting thread has by itself.
pub(super) fn timeout_alternatives(state: &State, thread: ThreadId) -> u16 {
    let core = &state.thread(thread).core;
    u16::from(core.timed) + u16::from(core.cancel.pending() && !is_on_futex(core))
}

/// How many ways there are to end a wait on a condition variable: a thread that has been woken may
/// still be cancelled in it.
pub(super) fn acquire_alternatives(state: &State, action: &Action) -> u16 {
    let core = &state.thread(action.thread).core;
    let woken = matches!(core.note, SIGNALLED | WOKEN) && core.phase == Phase::Woken;
    1 + u16::from(action.cancelable && woken && core.is_cancelled())
}

/// Whether a waiting thread waits on a futex. That wait is no cancellation point.
fn is_on_futex(core: &Core) -> bool {
    core.wait[0].as_queue().is_some()
}

/// Whether a thread that wants to end its wait can do so.
pub(super) fn acquire_status(state: &State, action: &Action) -> Status {
    let woken = state.thread(action.thread).core.phase == Phase::Woken;
    let free = match mutex::known(state, action.object2.0) {
        Some(m) => m.owner.is_none() || m.owner == Some(action.thread) && m.kind != MutexKind::Normal,
        None => true,
    };
    if woken && free {
        Status::Enabled
    } else {
        Status::Blocked
    }
}

/// How many threads a signal may wake: each is an alternative.
pub(super) fn signal_alternatives(state: &State, cond: u64) -> u16 {
    match state.sync(cond) {
        Some(SyncObject::Cond { waiters, .. }) => (*waiters).clamp(1, u32::from(u16::MAX)) as u16,
        _ => 1,
    }
}

/// How many ways there are to begin a wait on a futex: with spurious wakeups it may also end at
/// once, unless the word is known to have another value.
pub(super) fn wait_alternatives(state: &State, action: &Action) -> u16 {
    let (note, address) = (state.thread(action.thread).core.note, action.object2.0);
    if state.memory.check(address, WORD, false).is_err() {
        return 1;
    }
    let found = state.memory.peek_checked(address, WORD);
    if note & KNOWN != 0 && found.is_concrete() && found.bits as u32 != note as u32 {
        return 1;
    }
    release_alternatives(state)
}

/// Whether a wait on a futex is over.
pub(super) fn woken_status(state: &State, action: &Action) -> Status {
    match state.thread(action.thread).core.phase {
        Phase::Woken => Status::Enabled,
        _ => Status::Blocked,
    }
}

/// The threads in the queue of a futex, in their order.
pub(super) fn waiting(state: &State, queue: ObjectId) -> impl Iterator<Item = ThreadId> + '_ {
    let threads = state.threads().iter().enumerate();
    let here = threads.filter(move |(_, t)| t.core.phase == Phase::Waiting && t.core.wait[0] == queue);
    here.map(|(i, _)| ThreadId::from_index(i))
}

/// How many threads a wakeup may wake: each is an alternative.
pub(super) fn wake_alternatives(state: &State, queue: ObjectId) -> u16 {
    waiting(state, queue).count().clamp(1, usize::from(u16::MAX)) as u16
}
