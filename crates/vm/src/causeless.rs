//! Spurious events: a wait on a condition variable that ends without a signal, a weak
//! compare-exchange that fails although the values are equal. Each is an alternative of the action
//! (`sync/cond.rs`, `interp/atomic.rs`).
//!
//! A loop around such an action has no longest execution, although all its rounds except one lead
//! nowhere. Assume that a thread is at the action in state s, takes this alternative, and returns
//! to the action in state s. In between it has changed nothing: it has read, exchanged a value for
//! the same one, and released and taken the mutex of the wait. If it takes the alternative once
//! more, its actions in between can be removed from the execution. The other threads see the same
//! memory and the same objects without these actions. What they did in both rounds they can do
//! between the thread's first release and its last acquisition of the mutex. What all threads do
//! later is the same, with fewer orders between them. A fault within a round (for example a race of
//! its reads) also occurs in the execution in which that round is the only one. So explorations
//! that must end without storing states remove the alternative there ([`Vm::bounded`]). A thread
//! that counts its rounds is not in the same state, and may fail again.
//!
//! If a thread tries a mutex, or waits for it with a time-out, this does not hold: it may find the
//! mutex held in one round, and again in the next one. In programs with such operations no round
//! with a mutex is removed. A lock that is a word in memory makes no such round, because taking it
//! changes memory.
//!
//! `Core::idle` contains the hash of s while this holds. It follows from the thread's own past,
//! like the thread's state.

use crate::arrived::may_run_handler;
use crate::code::Op as Code;
use crate::fingerprint::{Keys, own_hash};
use crate::state::Undo as Entry;
use crate::vm::{Mark, Vm};
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_ir::InstKind;
use selvedge_model::{Action, Op, Outcome, Status};

/// Whether an operation may have an alternative that is a spurious event.
const fn may_be_causeless(op: Op) -> bool {
    matches!(
        op,
        Op::WaitRelease | Op::WaitReleaseWord | Op::FutexWait | Op::Rmw
    )
}

impl Vm {
    /// Whether a thread's next action is enabled, and its number of alternatives.
    #[inline]
    pub(crate) fn status(&self, action: &Action) -> (Status, u16) {
        let (status, alternatives) = crate::sync::status(&self.state, action);
        if self.state.modes().turns && status == Status::Enabled && self.is_held(action) {
            return (Status::Held, 1);
        }
        if status == Status::Blocked && may_run_handler(self.program.signals, &self.state, action) {
            return (Status::Held, 1);
        }
        match action.op {
            Op::WaitRelease | Op::WaitReleaseWord | Op::FutexWait
                if alternatives > 1 && self.repeats(action.thread) =>
            {
                (status, 1)
            }
            Op::Rmw if action.may_fail => (status, 1 + u16::from(self.may_fail_without_cause(action))),
            _ => (status, alternatives),
        }
    }

    /// True if a thread is in the state in which it was at its last spurious event.
    fn repeats(&self, thread: ThreadId) -> bool {
        let idle = self.state.thread(thread).core.idle;
        idle != Digest::EMPTY && idle == own_hash(&self.program, &self.state, thread)
    }

    /// True if a pending compare-exchange is a weak one that would succeed, and may fail
    /// nevertheless.
    fn may_fail_without_cause(&self, action: &Action) -> bool {
        if !self.program.options.weak_failures || !self.program.weak_exchanges {
            return false;
        }
        let core = &self.state.thread(action.thread).core;
        if core.depth == 0 || core.before {
            return false;
        }
        let code = &self.program.code[core.frame.func.index()];
        let inst = code.insts[core.frame.ip as usize];
        if inst.op != Code::Complex {
            return false;
        }
        let number = inst.long() as usize;
        let InstKind::CompareExchange { weak: true, ty, .. } = code.complex[number] else {
            return false;
        };
        let address = action.object.0;
        self.would_succeed(action.thread, ty, &code.operands[number], address) && !self.repeats(action.thread)
    }

    /// Before a step: the hash of the thread's state, if it takes a spurious alternative.
    pub(crate) fn before_causeless(&self, action: &Action, alternative: u16) -> Option<Digest> {
        let causeless = alternative > 0 && may_be_causeless(action.op);
        (causeless && self.state.modes().bounded).then(|| own_hash(&self.program, &self.state, action.thread))
    }

    /// After a step: updates whether the thread has changed nothing since a spurious event.
    /// `stands`: its state before the step, if the spurious event was in this step.
    pub(crate) fn note_idle(&mut self, action: &Action, stands: Option<Digest>, mark: Mark) {
        let thread = action.thread;
        let before = self.state.thread(thread).core.idle;
        let kept = stands.unwrap_or(before);
        if kept == Digest::EMPTY {
            return;
        }
        let idle = if self.changed_nothing(action, stands.is_some(), mark) {
            kept
        } else {
            Digest::EMPTY
        };
        self.state.own_core(thread).idle = idle;
        let mut pending = self.state.pending()[thread.index()];
        // A thread that a fault has parked stays parked.
        if pending.is_enabled() && may_be_causeless(pending.action.op) {
            (pending.status, pending.alternatives) = self.status(&pending.action);
            self.state.set_pending(thread, pending);
        }
    }

    /// True if a step did not change memory, and changed nothing else except that it released or
    /// took the mutex of a wait.
    fn changed_nothing(&self, action: &Action, causeless: bool, mark: Mark) -> bool {
        let reads = match action.op {
            Op::WaitRelease | Op::WaitReleaseWord => causeless,
            // If it failed, it has only read the word.
            Op::FutexWait => causeless || self.outcome == Outcome::Failed,
            Op::WaitAcquire => !self.program.tries_mutexes,
            Op::FutexWoken | Op::Read | Op::Yield => true,
            // Unlike a store, it does not end a release sequence. Without it there are fewer
            // orders, never more.
            Op::Rmw => true,
            _ => false,
        };
        let of_wait = |address: u64| address == action.object.0 || address == action.object2.0;
        let harmless = |entry: &Entry| match *entry {
            Entry::Core(thread) | Entry::Regs { thread, .. } | Entry::Frame { thread, .. } => {
                thread == action.thread
            }
            // Its frames determine its locals, and memory their contents.
            Entry::Pending(thread) | Entry::LocalPushed(thread) | Entry::LocalPopped(thread, _) => {
                thread == action.thread
            }
            Entry::Sync(address) => of_wait(address),
            Entry::HeldPushed(_) | Entry::HeldChanged(..) | Entry::HeldRemoved(..) | Entry::Output(_) => true,
            _ => false,
        };
        reads
            && self.state.parts().is_empty()
            && self.state.notices().is_empty()
            && self.state.changes(mark.state).iter().all(harmless)
            && self.state.memory.changed_fragments(mark.memory, &Keys::SOUND) == Digest::EMPTY
    }
}
