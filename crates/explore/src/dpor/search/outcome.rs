//! What a compare-and-swap would come to now.
//!
//! Whether it succeeds is a function of the memory that it uses, so only a write changes that, and
//! a write depends on a read. So one that would fail is a read. A thread that sleeps has the same
//! outcome in each state in which it still sleeps; so outcomes are found out anew, and are no part
//! of sleep sets.

use super::Search;
use crate::dpor::set::Set;
use crate::dpor::weaken::Weaken;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Choice, Dependence, Detector, Op, Undo};

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// The next action of a thread as it would happen in the present state.
    #[inline(always)]
    pub(super) fn action_now(&mut self, thread: usize) -> Action {
        let action = self.machine.pending()[thread].action;
        match action.may_fail && action.op as u8 == Op::Rmw as u8 {
            true => self.tried(thread, action),
            false => action,
        }
    }

    /// The same for a compare-and-swap: takes the step, and goes back.
    #[cold]
    fn tried(&mut self, thread: usize, action: Action) -> Action {
        let pending = &self.machine.pending()[thread];
        let asked = self.config.sleep_sets && self.peeking.is_none();
        if !asked || !pending.is_enabled() || pending.alternatives != 1 {
            return action;
        }
        let reads = Action {
            op: Op::Read,
            may_fail: false,
            ..action
        };
        if self.weaken.is(Weaken::AnyOutcome) {
            return reads;
        }
        let mark = self.machine.mark();
        let event = self.machine.step(Choice {
            thread: ThreadId::from_index(thread),
            alternative: 0,
        });
        self.machine.undo(mark);
        match event.has_failed() {
            true => reads,
            false => action,
        }
    }
}
