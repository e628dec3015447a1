//! Parts that are explored without memory in common with other workers: how they begin and end.

use super::Search;
use crate::dpor::peeking::Peeking;
use crate::dpor::set::Set;
use crate::kept::{Begun, Common, Entry, Misfit};
use selvedge_model::{Choice, Dependence, Detector, Pending, Undo};
use std::collections::BTreeSet;

/// What is said of a path that the machine does not offer.
const NO_PATH: Misfit = Misfit("a choice is not offered");

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// What all parts of this search have in common, as far as it is known.
    pub(in crate::dpor) fn common(&self) -> Common {
        Common {
            sections: self.peeking.map(|peeking| peeking.sections().clone()),
            ..self.contended.common(S::CAPACITY)
        }
    }

    /// The mutexes that were found to have sections which must not be one event.
    pub(in crate::dpor) fn refused(&self) -> BTreeSet<u64> {
        self.peeking.map(Peeking::failed).unwrap_or_default()
    }

    /// True if the run is to end.
    pub(in crate::dpor) fn is_stopped(&self) -> bool {
        self.control.is_stop_requested()
    }

    /// Tells the machine, at its initial state, that all steps are undone. A machine that caches
    /// its steps begins with that then. A whole search first undoes an execution; a part would do
    /// so at its end only.
    pub(in crate::dpor) fn undo_nothing(&mut self) {
        let initial = self.machine.mark();
        self.machine.undo(initial);
    }

    /// Goes to a unit that nobody has begun.
    pub(in crate::dpor) fn begin_part(&mut self, path: &[Choice], entry: &Entry) -> Result<(), Misfit> {
        self.follow_all(path)?;
        let thread = usize::from(entry.thread);
        if !self
            .machine
            .pending()
            .get(thread)
            .is_some_and(Pending::is_enabled)
        {
            return Err(Misfit("a thread cannot move"));
        }
        let sleep = self.sleepers(&entry.sleep)?;
        self.push_here(thread, sleep);
        Ok(())
    }

    /// Explores more of a part that was begun. Without a path, it is the whole search.
    pub(in crate::dpor) fn go_on_with_part(
        &mut self,
        begun: &Begun,
        path: Option<&[Choice]>,
    ) -> Result<(), Misfit> {
        self.follow_all(path.unwrap_or_default())?;
        self.restore(begun)?;
        self.machine_counts_begin();
        self.go_on(begun.joins);
        Ok(())
    }

    fn follow_all(&mut self, path: &[Choice]) -> Result<(), Misfit> {
        if !self.has_room(self.machine.pending().len()) {
            return Err(Misfit("there are more threads"));
        }
        for choice in path {
            if !self.can_take(*choice) {
                return Err(NO_PATH);
            }
            self.follow_path(std::slice::from_ref(choice));
            if self.job.halt.is_some() {
                return Err(NO_PATH);
            }
        }
        Ok(())
    }

    /// What was executed so far is not counted: it was counted where it was explored.
    pub(in crate::dpor) fn machine_counts_begin(&mut self) {
        self.machine.drop_counts();
    }

    /// What was executed since is counted.
    pub(in crate::dpor) fn machine_counts_end(&mut self) {
        self.machine.publish_counts();
    }

    /// Returns to the initial state.
    pub(in crate::dpor) fn leave_all(&mut self) {
        if !self.nodes.is_empty() {
            self.leave(0, false);
        }
        self.faults.clear();
    }
}
