//! The explored unfolding as plain data.

use super::Explorer;
use crate::unfold::dump::{Unfolding, numbers, shown};
use crate::unfold::event::EventId;
use crate::unfold::reach::in_order;
use selvedge_base::Id;
use selvedge_model::{Detector, Fingerprint, Undo};

impl<M, D> Explorer<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// The events as plain data, if there are not too many.
    pub(super) fn dump(&mut self, most: usize) -> Option<Unfolding> {
        let numbers = numbers(&self.store, most)?;
        let names = self.store.thread_names();
        let mut unfolding = Unfolding::default();
        for id in (0..self.store.len()).map(EventId::from_index) {
            if numbers[id.index()].is_none() {
                continue;
            }
            let (choices, twin) = match self.exits.get(&id) {
                Some(choices) => (choices.clone(), None),
                None => {
                    self.execute(id)?;
                    let choices = self.path.choices().to_vec();
                    let beyond = (self.inputs(id), self.memory(id));
                    (choices, self.states.least(&self.store, id, beyond))
                }
            };
            unfolding
                .events
                .push(shown(&self.store, &names, &numbers, id, choices, twin));
        }
        Some(unfolding)
    }

    /// Records the path to an end of the process, if it is needed later.
    pub(super) fn note_exit(&mut self, event: EventId) {
        if self.config.dump.is_some() || self.is_watched() {
            let choices = self.path.choices();
            self.exits.entry(event).or_insert_with(|| choices.to_vec());
        }
    }

    /// True if the ends of executions are needed later.
    fn is_watched(&self) -> bool {
        #[cfg(feature = "laboratory")]
        return self.visited.is_some();
        #[cfg(not(feature = "laboratory"))]
        false
    }

    /// Brings the path to an event with its causes.
    pub(super) fn execute(&mut self, id: EventId) -> Option<()> {
        let past = in_order(&self.store, self.store.difference(&self.store[id].clock, &[]));
        self.branch.clear();
        self.path.undo(&self.store, 0);
        for event in past {
            if !self.path.follow(&mut self.store, event) {
                return None;
            }
            self.path.faults.clear();
        }
        Some(())
    }
}
