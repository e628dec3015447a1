//! Information that tests need from an exploration.

use super::Explorer;
use crate::stuck::Fates;
use crate::unfold::dump::immediate_causes;
use crate::unfold::event::EventId;
use crate::unfold::oracle::{Keyed, Keys, Visited, Watched, known};
use crate::unfold::races::Classes;
use crate::unfold::weaken::Weaken;
use selvedge_base::{ForTests, Id};
use selvedge_model::{Detector, Fingerprint, Undo};

impl<M, D> Explorer<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// Records what is known where, for tests, and makes a deliberate mistake.
    pub fn watch(&mut self, weaken: Weaken) {
        let weaken = ForTests::new(weaken);
        self.visited = Some(Vec::new());
        self.store.weaken = weaken;
        self.fates = Fates::weakened(weaken);
        self.store.compares = true;
    }

    /// Tests keys of cutoffs with these settings.
    pub fn key(&mut self, keys: Keys) {
        self.store.pairs_all = ForTests::new(keys.paired);
        self.store.weaken = ForTests::new(keys.weaken);
    }

    /// The results of the keys.
    pub fn keyed(&self) -> Keyed {
        Keyed {
            knowledge: self.store.past.knowledge,
            contested: Classes::new(&self.store).is_contested(),
            cutoffs: self.store.ids().filter(|&e| self.store[e].cutoff).count() as u64,
        }
    }

    /// Records the configuration of the path, where an execution ends, if a test needs it.
    pub(super) fn note_visited(&mut self, maximal: bool) {
        if let Some(visited) = &mut self.visited {
            visited.push(Visited::new(&self.store, &self.path, maximal));
        }
    }

    /// Every event with its conflicts, and what was known where executions ended.
    pub fn watched(&mut self) -> Option<Watched> {
        let mut watched = Watched {
            events: Vec::new(),
            visited: self.visited.take()?,
        };
        for id in (0..self.store.len()).map(EventId::from_index) {
            let mut choices = None;
            if self.store[id].executed {
                choices = Some(match self.exits.get(&id) {
                    Some(choices) => choices.clone(),
                    None => {
                        self.execute(id)?;
                        self.path.choices().to_vec()
                    }
                });
            }
            let immediate = immediate_causes(&self.store, id);
            watched.events.push(known(&self.store, id, &immediate, choices));
        }
        Some(watched)
    }
}
