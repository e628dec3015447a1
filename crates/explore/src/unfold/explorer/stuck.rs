//! At a leaf after which only cutoffs are left: finds the threads that wait for ever.

use super::Explorer;
use crate::Stop;
use crate::spin::{all_spin, find_spins, may_spin, spins_in_time};
use crate::stuck::{Fate, Waiting, too_many, waiting};
use crate::unfold::event::EventId;
use crate::unfold::weaken::Weaken;
use selvedge_base::Id;
use selvedge_model::{Detector, Fingerprint, Limit, LimitKind, Op, Property, StopReason, Undo};

impl<M, D> Explorer<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// Reports to the detector each thread that never moves again, whatever the other threads do.
    pub(super) fn find_stuck(&mut self) {
        let asked = self.config.cutoffs && self.config.properties.contains(&Property::Deadlock);
        if !asked || self.fates.gave_up() || self.store.weaken.is(Weaken::Stuck) {
            return;
        }
        self.find_spins();
        for waiting in waiting(&self.path.machine) {
            if self.control.is_stopped() {
                return;
            }
            let name = self.path.name(waiting.thread);
            let fate = self.fates.of(&mut self.path.machine, waiting, name, self.control);
            match fate {
                Fate::Open => {}
                // A firm cycle exists even if the execution may end. Only its kind of deadlock
                // would remain open.
                Fate::Unknown if !waiting.firm => self.stays_open(waiting),
                Fate::StuckIfOrdered => {
                    let mut faults = Vec::new();
                    let detector = &mut self.path.detector;
                    detector.stuck(&self.path.machine, waiting.thread, &mut faults);
                    self.record.if_ordered(self.config, faults, self.path.choices());
                }
                Fate::Stuck | Fate::Unknown => {
                    let (detector, faults) = (&mut self.path.detector, &mut self.path.faults);
                    detector.stuck(&self.path.machine, waiting.thread, faults);
                }
            }
        }
    }

    /// Reports to the detector if all enabled threads spin for ever from here.
    fn find_spins(&mut self) {
        if !may_spin(self.path.machine.pending()) {
            return;
        }
        let (start, before) = (self.path.machine.mark(), self.path.faults.len());
        let found = (&mut self.path.detector, &mut self.path.faults);
        find_spins(&mut self.path.machine, M::fingerprint, found);
        self.path.machine.undo(start);
        let open = self.path.faults.len() == before && self.path.machine.has_inputs();
        if open && let Some(limit) = spins_in_time(&mut self.path.machine) {
            self.record.limit(&limit);
        }
    }

    /// After an event that led to a known state: looks for such threads if it began a timed wait.
    /// In its other alternative the wait may end without a signal, and the execution go on; so this
    /// need not come to a leaf after which only cutoffs are left.
    pub(super) fn find_timed_spins(&mut self, event: EventId) {
        let asked = self.config.properties.contains(&Property::Deadlock);
        let thread = self.path.choices().last().map(|choice| choice.thread.index());
        let pending = thread.map(|thread| &self.path.machine.pending()[thread]);
        let waits = pending.is_some_and(|pending| pending.action.op == Op::WaitTimeout);
        if !asked || !waits || !self.store[event].cutoff || self.store.weaken.is(Weaken::Stuck) {
            return;
        }
        self.find_spins();
        if self.note_faults() && self.config.stop == Stop::First {
            self.halt = Some(StopReason::Finding);
        }
    }

    /// Where threads are held in loops: finds out whether all threads wait for each other for ever.
    /// If so, the exploration has to be made again without holding threads.
    pub(super) fn find_held(&mut self) {
        let asked = self.config.cutoffs && self.config.properties.contains(&Property::Deadlock);
        if !asked {
            return;
        }
        let start = self.path.machine.mark();
        let held = self.path.machine.complete_rounds();
        let spin = held && all_spin(&mut self.path.machine, M::fingerprint);
        self.path.machine.undo(start);
        if spin {
            self.path.machine.refuse_awaits();
        }
    }

    /// When an execution is given up because it is too long: reports to the detector the cycles
    /// that no thread can break.
    pub(super) fn find_cycles(&mut self) {
        for waiting in waiting(&self.path.machine).into_iter().filter(|w| w.firm) {
            let (detector, faults) = (&mut self.path.detector, &mut self.path.faults);
            detector.stuck(&self.path.machine, waiting.thread, faults);
        }
    }

    #[cold]
    fn stays_open(&mut self, waiting: Waiting) {
        let name = self.path.name(waiting.thread);
        let names = self.store.thread_names();
        let action = &self.path.machine.pending()[waiting.thread.index()].action;
        self.record.limit(&Limit {
            kind: LimitKind::Events,
            detail: too_many(&names[name.index()], action),
            stmt: action.stmt,
        });
    }
}
