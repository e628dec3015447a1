//! Threads that wait for ever where an execution without end returns to a state of its path.

use super::{Search, Weaken};
use crate::spin::{find_spins, may_spin, spins_in_time};
use crate::stuck::{Fate, Waiting, waiting};
use selvedge_base::{Digest, Id};
use selvedge_model::{Detector, Fingerprint, Limit, LimitKind, Property, Undo};

impl<M, D> Search<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// Reports to the detector each thread that never moves again, whatever the other threads do.
    pub(super) fn find_stuck(&mut self) {
        let asked = self.config.properties.contains(&Property::Deadlock);
        if !asked || self.fates.gave_up() || self.weaken.is(Weaken::Stuck) {
            return;
        }
        for waiting in waiting(&self.machine) {
            if self.control.is_stop_requested() {
                return;
            }
            let name = self.names.of(waiting.thread);
            match self.fates.of(&mut self.machine, waiting, name, self.control) {
                Fate::Open => {}
                Fate::Unknown if !waiting.firm => self.stays_open(waiting),
                Fate::StuckIfOrdered => {
                    let mut faults = Vec::new();
                    self.detector.stuck(&self.machine, waiting.thread, &mut faults);
                    self.record.if_ordered(self.config, faults, &self.choices);
                }
                Fate::Stuck | Fate::Unknown => {
                    self.detector
                        .stuck(&self.machine, waiting.thread, &mut self.faults);
                }
            }
        }
    }

    /// Reports to the detector if all enabled threads spin for ever. Asks once for each state.
    pub(super) fn find_spins(&mut self, key: Digest) {
        let asked = self.config.properties.contains(&Property::Deadlock);
        if !asked || !may_spin(self.machine.pending()) {
            return;
        }
        if self.spins.insert(key) {
            let (start, before) = (self.machine.mark(), self.faults.len());
            let found = (&mut self.detector, &mut self.faults);
            find_spins(&mut self.machine, M::fingerprint, found);
            self.machine.undo(start);
            let open = self.faults.len() == before && self.machine.has_inputs();
            if open && let Some(limit) = spins_in_time(&mut self.machine) {
                self.record.limit(&limit);
            }
        }
    }

    #[cold]
    fn stays_open(&mut self, waiting: Waiting) {
        let action = &self.machine.pending()[waiting.thread.index()].action;
        let (name, stmt) = (self.names.text(waiting.thread), action.stmt);
        self.record.limit(&Limit {
            kind: LimitKind::Events,
            detail: crate::stuck::too_many(&name, action),
            stmt,
        });
    }
}
