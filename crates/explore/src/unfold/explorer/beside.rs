//! What an exploration asks about cutoffs beyond the state: what the detector remembers, and races
//! that no path shows.

use super::{Explorer, MOST_PAIRS, differs, forgets};
use crate::unfold::event::EventId;
use crate::unfold::event::{Clock, join};
use crate::unfold::races::Classes;
use crate::unfold::reach::{go_to, in_order};
use crate::unfold::weaken::Weaken;
use selvedge_base::{Digest, StmtId};
use selvedge_model::{Detector, Fingerprint, Limit, LimitKind, StopReason, Undo};

impl<M, D> Explorer<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// What has to be added to the fingerprint after an event and its causes so that names of
    /// inputs do not count.
    pub(super) fn inputs(&mut self, event: EventId) -> Digest {
        if !self.path.machine.has_inputs() {
            return Digest::EMPTY; // so it is for a part of the path
        }
        if self.path.len() == self.store[event].size as usize {
            return self.path.machine.without_names();
        }
        let clock: Clock = self.store[event].clock.iter().copied().collect();
        match self.extensions.stand_at(&mut self.store, &clock) {
            Some(machine) => machine.without_names(),
            None => {
                self.halt = Some(StopReason::Limit(differs()));
                Digest::EMPTY
            }
        }
    }

    /// What the detector remembers of an event and its causes, if that counts.
    pub(super) fn memory(&mut self, event: EventId) -> Digest {
        let Some(watched) = &mut self.watched else {
            return Digest::EMPTY;
        };
        let clock: Clock = self.store[event].clock.iter().copied().collect();
        if !go_to(&mut self.store, watched, &clock) {
            self.halt = Some(StopReason::Limit(differs()));
            return Digest::EMPTY;
        }
        watched.faults.clear();
        let digest = watched.detector.digest(&watched.machine);
        if digest.is_none() {
            self.record.limit(&forgets());
        }
        if self.store.weaken.is(Weaken::Memory) {
            return Digest::EMPTY;
        }
        digest.unwrap_or_default()
    }

    /// Looks for races of cutoff events with events that are on no path with them.
    pub(super) fn races_beside_cutoffs(&mut self, classes: &Classes) {
        if self.store.weaken.is(Weaken::BesideCutoffs) {
            return;
        }
        let mut pairs = Vec::new();
        let stopped = || self.control.is_stopped();
        classes.pairs(&self.store, stopped, |cutoff, other| {
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
            for event in in_order(&self.store, missing) {
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
