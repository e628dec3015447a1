//! What happens without cause: a wait on a condition variable that ends without a signal, a weak
//! compare-exchange that fails though the values are equal. Each is an alternative of the action
//! (`sync/cond.rs`, `interp/atomic.rs`).
//!
//! A loop around such an action has no longest execution, though all rounds but one lead nowhere.
//! Let a thread stand at the action in state s, take that alternative, and come back to the action
//! in state s, with nothing changed by itself on the way: it has read, exchanged a value for the
//! same one, and given the mutex of the wait back and taken it again. If it takes the alternative
//! once more, what it did between the two can be left out of the execution: the others see the same
//! memory and the same objects without it, and they can do between its first giving back and its
//! last taking of the mutex what they did in both rounds. What they and it do later is the same,
//! with fewer orders between them. What is wrong within a round (a race of what it reads, say) is
//! as well in the execution in which that round is the only one. So for explorations that must end
//! without knowing states the alternative is taken away there ([`Vm::bounded`]). A thread that
//! counts its rounds is not in the same state, and may fail again.
//!
//! `Core::idle` keeps the hash of s while that holds. It follows from the thread's own past, as its
//! state does.

use crate::code::Op as Code;
use crate::fingerprint::{Keys, own_hash};
use crate::state::Undo as Entry;
use crate::vm::{Mark, Vm};
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_ir::InstKind;
use selvedge_model::{Action, Op, Status};

impl Vm {
    /// Whether a thread's next action is enabled, and how many alternatives it has.
    #[inline]
    pub(crate) fn status(&self, action: &Action) -> (Status, u16) {
        let (status, alternatives) = crate::sync::status(&self.state, action);
        if self.state.modes().turns && status == Status::Enabled && self.is_held(action) {
            return (Status::Held, 1);
        }
        match action.op {
            Op::WaitRelease if alternatives > 1 && self.repeats(action.thread) => (status, 1),
            Op::Rmw if action.may_fail => (status, 1 + u16::from(self.may_fail_without_cause(action))),
            _ => (status, alternatives),
        }
    }

    /// Whether a thread stands where something ended without cause, as it did then.
    fn repeats(&self, thread: ThreadId) -> bool {
        let idle = self.state.thread(thread).core.idle;
        idle != Digest::EMPTY && idle == own_hash(&self.program, &self.state, thread)
    }

    /// Whether a pending compare-exchange is a weak one that would succeed, and may fail
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

    /// Before a step: the state of the thread, if it takes an alternative that has no cause.
    pub(crate) fn before_causeless(&self, action: &Action, alternative: u16) -> Option<Digest> {
        let causeless = alternative > 0 && matches!(action.op, Op::WaitRelease | Op::Rmw);
        (causeless && self.state.modes().bounded).then(|| own_hash(&self.program, &self.state, action.thread))
    }

    /// After a step: whether the thread has changed nothing since something ended without cause;
    /// `stands`: how it stood before the step, if that was in this one.
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
        if pending.is_enabled() && matches!(pending.action.op, Op::WaitRelease | Op::Rmw) {
            (pending.status, pending.alternatives) = self.status(&pending.action);
            self.state.set_pending(thread, pending);
        }
    }

    /// Whether a step left memory as it was, and all else but that it gave the mutex of a wait back
    /// or took it.
    fn changed_nothing(&self, action: &Action, causeless: bool, mark: Mark) -> bool {
        let reads = match action.op {
            Op::WaitRelease => causeless,
            Op::WaitAcquire | Op::Read | Op::Yield | Op::Fence => true,
            // Unlike a store, it does not end a release sequence: without it there are fewer
            // orders, never more.
            Op::Rmw => true,
            _ => false,
        };
        let of_wait = |address: u64| address == action.object.0 || address == action.object2.0;
        let harmless = |entry: &Entry| match *entry {
            Entry::Core(thread) | Entry::Regs { thread, .. } | Entry::Frame { thread, .. } => {
                thread == action.thread
            }
            // Its frames say which locals it has, and memory what is in them.
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
