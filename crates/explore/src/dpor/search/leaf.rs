//! The end of an execution: its faults, its counts, and the live counters.

use super::{Halt, SHOW_EVERY, Search};
use crate::Stop;
use crate::dpor::set::Set;
use crate::estimate::explored_part;
use crate::stuck::waiting;
use selvedge_base::StmtId;
use selvedge_model::{Dependence, Detector, Limit, LimitKind, Pending, Property, Status, Undo};

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Records the faults and notices of the last event.
    #[inline(always)]
    pub(super) fn report(&mut self) {
        if !self.faults.is_empty() || !self.machine.notices().is_empty() {
            self.report_some();
        }
    }

    #[cold]
    pub(super) fn report_some(&mut self) {
        let notices = self.machine.notices();
        let choices = match self.peeking {
            None => &self.choices,
            Some(_) => &self.schedule,
        };
        let mut faulty = self.job.record.notice(self.config, notices, choices);
        faulty |= self.note_faults();
        if faulty && self.config.stop == Stop::First {
            self.job.halt = Some(Halt::Finding);
        }
    }

    pub(super) fn note_faults(&mut self) -> bool {
        let mut faulty = false;
        let choices = match self.peeking {
            None => &self.choices,
            Some(_) => &self.schedule,
        };
        for fault in self.faults.drain(..) {
            faulty |= self.job.record.fault(self.config, fault, choices);
        }
        faulty
    }

    /// Handles the end of an execution.
    pub(super) fn leaf(&mut self, finished: bool, asleep: bool) {
        self.reverse_blocked();
        if self.relation.leaves_writes_to_reads() {
            self.observe_blocked();
        }
        let held = finished && self.is_any_held();
        if held {
            self.look_at_held();
        }
        let statistics = &mut self.job.record.statistics;
        statistics.max_depth = statistics.max_depth.max(self.choices.len() as u64);
        if held {
            // It goes on, by another thread's name.
            statistics.redundant_executions += 1;
            self.unseen.redundant += 1;
        } else if finished {
            statistics.executions += 1;
            statistics.threads = statistics.threads.max(self.machine.pending().len() as u64);
            self.unseen.executions += 1;
            self.detector.end(&self.machine, &mut self.faults);
            if !self.faults.is_empty() && self.note_faults() && self.config.stop == Stop::First {
                self.job.halt = Some(Halt::Finding);
            }
        } else if asleep {
            statistics.redundant_executions += 1;
            self.unseen.redundant += 1;
        } else {
            statistics.bounded_executions += 1;
            let detail = format!("an execution of more than {} events", self.config.max_events);
            self.job.record.limit(&Limit {
                kind: LimitKind::Depth,
                detail,
                stmt: StmtId(0),
            });
            for waiting in waiting(&self.machine).into_iter().filter(|w| w.firm) {
                self.detector
                    .stuck(&self.machine, waiting.thread, &mut self.faults);
            }
            if self.note_faults() && self.config.stop == Stop::First {
                self.job.halt = Some(Halt::Finding);
            }
        }
        self.unseen.leaves += 1;
        if self.unseen.leaves == SHOW_EVERY {
            self.show();
        }
        if self.worker.as_ref().is_some_and(|worker| worker.is_cancelled()) {
            self.job.halt = Some(Halt::Cancelled);
        }
    }

    /// Where threads are held in loops: finds out whether they wait for each other for ever. If so,
    /// the exploration has to be made again without holding threads.
    #[cold]
    fn look_at_held(&mut self) {
        let asked = self.config.properties.contains(&Property::Deadlock);
        if asked && self.machine.goes_round_for_ever() {
            self.machine.refuse_awaits();
        }
    }

    /// True if a thread is held.
    fn is_any_held(&self) -> bool {
        if self.machine.standing().is_some_and(|s| s.blocked == 0) {
            return false;
        }
        let held = |p: &Pending| p.status == Status::Held;
        self.machine.pending().iter().any(held)
    }

    /// Updates the statistics for an execution that did not reach a leaf.
    pub fn note_depth(&mut self) {
        let statistics = &mut self.job.record.statistics;
        statistics.max_depth = statistics.max_depth.max(self.choices.len() as u64);
    }

    /// Adds the counters to the control.
    pub(in crate::dpor) fn show(&mut self) {
        let unseen = std::mem::take(&mut self.unseen);
        self.control.add(
            unseen.executions,
            unseen.redundant,
            unseen.events,
            self.choices.len() as u64,
        );
        if self.worker.as_ref().is_none_or(|worker| worker.is_first()) {
            let nodes = self.nodes.iter();
            let shares = nodes.map(|node| (f64::from(node.cursor), f64::from(node.len)));
            self.control.set_part(match self.nodes.is_empty() {
                true => 1.0,
                false => explored_part(shares),
            });
        }
    }
}
