//! Questions about cutoffs that go beyond the state: what the detector remembers, and races that no
//! path shows.

use super::{Explorer, MOST_PAIRS, Run, forgets};
use crate::unfold::event::EventId;
use crate::unfold::event::{Clock, join};
use crate::unfold::pairs::find_pairs;
use crate::unfold::past::Knowledge;
use crate::unfold::races::Classes;
use crate::unfold::reach::{go_to, in_order};
use crate::unfold::weaken::Weaken;
use selvedge_base::{Digest, StmtId};
use selvedge_model::{Detector, Fingerprint, Held, Limit, LimitKind, Places, StopReason, Undo};

impl<M, D> Explorer<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// The value to add to the fingerprint after an event and its causes, so that names of inputs
    /// do not count.
    pub(super) fn inputs(&mut self, event: EventId) -> Digest {
        if !self.path.machine.has_inputs() {
            return Digest::EMPTY; // then no part of the path has inputs either
        }
        if self.path.len() == self.store[event].size as usize {
            return self.path.machine.without_names();
        }
        let clock: Clock = self.store[event].clock.iter().copied().collect();
        match self.extensions.stand_at(&mut self.store, &clock) {
            Some(machine) => machine.without_names(),
            None => {
                self.halt = Some(StopReason::Limit(self.differs()));
                Digest::EMPTY
            }
        }
    }

    /// The accesses that the detector holds after an event and its causes, if these count.
    pub(super) fn memory(&mut self, event: EventId) -> Held {
        let Some(watched) = &mut self.watched else {
            return Held::default();
        };
        let clock: Clock = self.store[event].clock.iter().copied().collect();
        if !go_to(&mut self.store, watched, &clock) {
            self.halt = Some(StopReason::Limit(self.differs()));
            return Held::default();
        }
        watched.faults.clear();
        let held = watched.detector.held(&watched.machine, &self.store.past.places);
        if held.is_none() {
            self.record.limit(&forgets());
        }
        if self.store.weaken.is(Weaken::Memory) {
            return Held::default();
        }
        held.unwrap_or_default()
    }

    /// If more of the past has to be a part of states, returns a run that must start again, with
    /// the faults so far. `whole`: the exploration is finished.
    pub(super) fn outgrown(&mut self, whole: bool) -> Option<Run> {
        self.check_at = self.store.len() * 2;
        if !self.store.keeps_footprints
            || self.record.statistics.cutoffs == 0
            || self.store.weaken.is(Weaken::NeverAnew)
        {
            return None;
        }
        let past = &self.store.past;
        if past.knowledge == Knowledge::Detector && past.places == Places::All {
            return None;
        }
        let (needs, classes) = if past.knowledge == Knowledge::Detector {
            let classes = Classes::beyond(&past.places, &self.store);
            (Knowledge::Detector, classes)
        } else {
            let classes = Classes::new(&self.store);
            let needs = if classes.depends_on_knowledge(&self.store, whole) {
                Knowledge::Detector
            } else if classes.is_contested() {
                Knowledge::LastActions
            } else {
                Knowledge::State
            };
            (needs, classes)
        };
        let enough = self.store.weaken.is(Weaken::Places) && !past.places.is_empty();
        let more = needs > past.knowledge || !enough && !classes.uncounted().is_empty();
        more.then(|| {
            let places = classes.uncounted().iter().cloned();
            let most = if self.store.weaken.is(Weaken::Places) {
                1
            } else {
                usize::MAX
            };
            let past = past.and(needs, places.take(most));
            let record = std::mem::take(&mut self.record);
            Run::Fails {
                next: past,
                findings: record.finish(StopReason::Complete).faults,
            }
        })
    }

    /// Looks for races between a cutoff that no other event subsumes and an event that is on no
    /// path together with it.
    pub(super) fn races_beside_cutoffs(&mut self) {
        let store = &self.store;
        let faults = !store.weaken.is(Weaken::BesideFaults);
        let all = store.pairs_all.is(true);
        let paired = |id: EventId| store[id].ends_all && faults || store[id].cutoff && all;
        if !store.keeps_footprints || !store.ids().any(paired) {
            return;
        }
        let mut pairs = Vec::new();
        let stopped = || self.control.is_stopped();
        find_pairs(&Classes::new(store), store, paired, stopped, |cutoff, other| {
            pairs.push((cutoff, other));
            pairs.len() < MOST_PAIRS
        });
        if pairs.len() == MOST_PAIRS {
            self.record.limit(&Limit {
                kind: LimitKind::Events,
                detail: format!("more than {MOST_PAIRS} pairs of events that may race beside cutoffs"),
                stmt: StmtId(0),
            });
        }
        self.branch.clear();
        for (cutoff, other) in pairs {
            let mut both: Clock = self.store[cutoff].clock.iter().copied().collect();
            join(&mut both, &self.store[other].clock);
            self.path.undo(&self.store, 0);
            let missing = self.store.difference(&both, &[]);
            // Nothing comes after a fault that ends the process.
            let (ends, goes_on): (Vec<_>, Vec<_>) = in_order(&self.store, missing)
                .into_iter()
                .partition(|&e| self.store[e].ends_all);
            for event in goes_on.into_iter().chain(ends) {
                if !self.path.follow(&mut self.store, event) {
                    self.not_followed(event);
                    break; // inputs at odds
                }
                self.report();
            }
            if self.halt.is_some() || self.control.is_stopped() {
                break;
            }
        }
        if self.control.is_stop_requested() && self.halt.is_none() {
            self.halt = Some(StopReason::Limit(self.control.limit()));
        }
    }
}
