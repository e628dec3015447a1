//! What an action would come to now.
//!
//! Whether a compare-and-swap succeeds follows from the memory that it uses, whether an attempt to
//! take a lock or a semaphore does follows from that, and whether a store changes anything from the
//! bytes that it writes. Only what changes the object changes that, and depends on a read of it.
//! So what would change nothing is a read (`Event::as_used`). A thread that sleeps has the same
//! outcome in each state in which it still sleeps; so outcomes are found out anew, and are no part
//! of sleep sets.
//!
//! To find out means to take the step and to go back. For a store that is done only if it would
//! matter: if nothing before depends on it, and no thread that sleeps, then nothing does if it is a
//! read, either, and what it is to later actions is known after the step.

use super::Search;
use crate::dpor::set::Set;
use crate::dpor::weaken::Weaken;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Choice, Dependence, Detector, Event, Op, Outcome, Silent, Undo};

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Searches for the predecessors of the action that a thread is about to take, as it would
    /// happen in the present state. Returns the members of `sleep` that it does not wake. `local`:
    /// it depends on nothing.
    #[inline(always)]
    pub(super) fn look_at_outcome(&mut self, thread: usize, sleep: S, local: bool) -> S {
        let action = self.action_now(thread);
        let asleep = match local || sleep.is_empty() {
            true => sleep,
            false => self.still_asleep(sleep, &action),
        };
        self.order.look(self.relation, &action, thread);
        self.looked_early = self.may_be_silent(thread, &action);
        if self.looked_early && !(asleep == sleep && self.order.found_nothing()) {
            return self.look_at_silent(thread, sleep);
        }
        asleep
    }

    /// The same for what may change nothing, and would matter if it does.
    #[cold]
    fn look_at_silent(&mut self, thread: usize, sleep: S) -> S {
        self.looked_early = false;
        let action = self.outcome(thread);
        let asleep = self.still_asleep(sleep, &action);
        self.order.look(self.relation, &action, thread);
        asleep
    }

    /// After a step: searches again if it was a read, and that was not known before.
    #[inline(always)]
    pub(super) fn correct_look(&mut self, event: &Event, thread: usize) {
        if self.looked_early && event.silent != Silent::No {
            let action = self.used(event);
            self.order.look(self.relation, &action, thread);
        }
    }

    /// The next action of a thread as it would happen in the present state, if that is known before
    /// the step to be worth it.
    #[inline(always)]
    fn action_now(&mut self, thread: usize) -> Action {
        let action = self.machine.pending()[thread].action;
        match self.may_fail(&action) && self.is_by_outcome(thread, &action) {
            true => self.outcome(thread),
            false => action,
        }
    }

    /// Whether an action may fail, and changes nothing then.
    #[inline(always)]
    fn may_fail(&self, action: &Action) -> bool {
        action.read_if_it_fails().is_some()
            || action.op as u8 == Op::Signal as u8 && self.weaken.is(Weaken::SignalOutcome)
    }

    /// Whether an action may store the value that is there. One that may fail is none of these.
    #[inline(always)]
    fn may_be_silent(&self, thread: usize, action: &Action) -> bool {
        action.writes_memory()
            && action.may_be_silent(self.config.values_only)
            && !self.may_fail(&self.machine.pending()[thread].action)
            && self.is_by_outcome(thread, action)
    }

    /// Whether it counts to what a pending action would come.
    #[inline(always)]
    fn is_by_outcome(&self, thread: usize, action: &Action) -> bool {
        let pending = &self.machine.pending()[thread];
        // Where identical threads have their turn, whoever lets another one go on has to be before
        // it, whatever it changes. A compare-and-swap has a turn only if it succeeds.
        let has_turn = self.machine.takes_turns(action) && !action.may_fail;
        self.config.sleep_sets
            && self.peeking.is_none()
            && self.relation.published().is_none()
            && !self.relation.leaves_writes_to_reads()
            && pending.is_enabled()
            && pending.alternatives == 1
            && !has_turn
    }

    /// Takes the step of a thread, and goes back.
    #[cold]
    fn outcome(&mut self, thread: usize) -> Action {
        let action = self.machine.pending()[thread].action;
        let planted = match action.read_if_it_fails() {
            Some(Op::Read) => Weaken::AnyOutcome,
            Some(_) => Weaken::AnyTry,
            None => Weaken::AnySilent,
        };
        if self.weaken.is(planted) {
            return as_read(action);
        }
        let mark = self.machine.mark();
        let event = self.machine.step(Choice {
            thread: ThreadId::from_index(thread),
            alternative: 0,
        });
        self.machine.undo(mark);
        match (event.action.op, event.outcome) {
            // A mistake: by its outcome it does not depend on threads that began to wait and were
            // not woken.
            (Op::Signal, Outcome::Thread(_)) => Action {
                op: Op::FutexWoken,
                ..action
            },
            _ => self.used(&event),
        }
    }

    /// An event as it used its objects. A compare-and-swap that stores the value that is there is a
    /// thread's turn, where identical threads take turns.
    fn used(&self, event: &Event) -> Action {
        let has_turn = event.silent != Silent::No && self.machine.takes_turns(&event.action);
        match has_turn {
            true => event.action,
            false => event.as_used(self.config.values_only),
        }
    }

    /// The next action of a thread that sleeps, as it would happen in the present state. `action`:
    /// the operation.
    pub(super) fn asleep_now(&mut self, thread: usize, action: Action) -> Action {
        let by_outcome = self.may_fail(&action) || self.may_be_silent(thread, &action);
        if !by_outcome || !self.is_by_outcome(thread, &action) {
            return action;
        }
        let planted = match action.read_if_it_fails() {
            Some(_) => Weaken::AsleepOutcome,
            None => Weaken::AsleepSilent,
        };
        match self.weaken.is(planted) {
            true => as_read(action),
            false => self.outcome(thread),
        }
    }
}

/// An action as one that changes nothing.
fn as_read(action: Action) -> Action {
    Action {
        op: action.read_if_it_fails().unwrap_or(Op::Read),
        may_fail: false,
        ..action
    }
}
