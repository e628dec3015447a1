//! The end of a branch: its faults and its counts.

use super::{Explorer, Leaf, SHOW_EVERY, differs};
use crate::Stop;
use crate::unfold::tree::NodeId;
use selvedge_base::StmtId;
use selvedge_model::{Detector, Fingerprint, Limit, LimitKind, Status, StopReason, Undo};

impl<M, D> Explorer<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// Records the faults and notices of the last event.
    pub(super) fn report(&mut self) {
        let mut faulty = false;
        if !self.path.machine.notices().is_empty() {
            faulty = self
                .record
                .notice(self.config, self.path.machine.notices(), self.path.choices());
        }
        faulty |= self.note_faults();
        if faulty && self.config.stop == Stop::First {
            self.halt = Some(StopReason::Finding);
        }
    }

    pub(super) fn note_faults(&mut self) -> bool {
        let mut faulty = false;
        for fault in std::mem::take(&mut self.path.faults) {
            faulty |= self.record.fault(self.config, fault, self.path.choices());
        }
        faulty
    }

    /// Records what steps reported that were executed again, and the events that were others then.
    pub(super) fn repeated(&mut self) {
        let notices = std::mem::take(&mut self.store.notices);
        self.record.cut_short_by(self.config, &notices);
        if std::mem::take(&mut self.store.strayed) {
            self.record.limit(&differs());
        }
    }

    /// Handles the end of a branch.
    pub(super) fn leaf(&mut self, leaf: &Leaf, node: NodeId) {
        let statistics = &mut self.record.statistics;
        statistics.max_depth = statistics.max_depth.max(self.path.len() as u64);
        statistics.threads = statistics.threads.max(self.path.machine.pending().len() as u64);
        let cut = self.tree[node].cut.clone();
        if self.control.is_saving() {
            self.extensions.forget();
        }
        match leaf {
            // It goes on, by another thread's name.
            Leaf::Maximal
                if self
                    .path
                    .machine
                    .pending()
                    .iter()
                    .any(|p| p.status == Status::Held) =>
            {
                statistics.redundant_executions += 1;
                self.find_held();
            }
            Leaf::Maximal => {
                statistics.executions += 1;
                self.path.detector.end(&self.path.machine, &mut self.path.faults);
                if self.note_faults() && self.config.stop == Stop::First {
                    self.halt = Some(StopReason::Finding);
                }
            }
            Leaf::Cut => {
                statistics.cut_executions += 1;
                self.path.detector.cut(&self.path.machine, &mut self.path.faults);
                self.find_held();
                self.find_stuck();
                if self.note_faults() && self.config.stop == Stop::First {
                    self.halt = Some(StopReason::Finding);
                }
            }
            Leaf::Redundant | Leaf::Infeasible | Leaf::Known => statistics.redundant_executions += 1,
            Leaf::Bounded => {
                statistics.bounded_executions += 1;
                let detail = format!("an execution of more than {} events", self.config.max_events);
                self.record.limit(&Limit {
                    kind: LimitKind::Depth,
                    detail,
                    stmt: StmtId(0),
                });
                self.find_cycles();
                if self.note_faults() && self.config.stop == Stop::First {
                    self.halt = Some(StopReason::Finding);
                }
            }
        }
        self.extensions.extend(&mut self.store, &mut self.path, &cut);
        if let Some(budget) = self.control.budget() {
            budget.tell_conflicts(self.store.links, self.store.unread);
        }
        self.repeated();
        #[cfg(feature = "laboratory")]
        self.note_visited(matches!(leaf, Leaf::Maximal));
        let statistics = self.record.statistics;
        let done = statistics.executions + statistics.redundant_executions + statistics.cut_executions;
        if done.is_multiple_of(SHOW_EVERY) {
            self.show();
        }
        if let Some(most) = self.config.max_executions
            && done + statistics.bounded_executions >= most
            && self.halt.is_none()
        {
            self.halt = Some(StopReason::Limit(Limit {
                kind: LimitKind::Executions,
                detail: format!("{most} executions"),
                stmt: StmtId(0),
            }));
        }
    }
}
