//! The live counters of an exploration, and how much of its tree is explored.

use super::Explorer;
use crate::estimate::explored_part;
use crate::unfold::tree::Child;
use selvedge_model::{Detector, Fingerprint, Undo};

/// How many nodes were asked for a right child, and how many have one.
#[derive(Clone, Copy, Default)]
pub(super) struct Decided {
    pub(super) asked: u64,
    pub(super) found: u64,
}

impl<M, D> Explorer<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// Updates the live counters.
    pub(super) fn show(&mut self) {
        let statistics = &self.record.statistics;
        let now = (
            statistics.executions + statistics.cut_executions,
            statistics.redundant_executions,
            statistics.events,
        );
        let (executions, redundant, events) = self.shown;
        self.control.add(
            now.0 - executions,
            now.1 - redundant,
            now.2 - events,
            self.path.len() as u64,
        );
        self.shown = now;
        self.control.set_part(self.part());
    }

    /// The explored part of the tree, as an estimate. Whether a node has a right child is decided
    /// when its left one is done; until then it counts as often as nodes had one so far.
    fn part(&self) -> f64 {
        let Some(at) = self.tree.cursor() else {
            return 1.0;
        };
        let Decided { asked, found } = self.decided;
        let undecided = (found as f64 + 1.0) / (asked as f64 + 2.0);
        let mut above = Vec::new();
        let mut at = at;
        while let Some(parent) = self.tree[at].parent {
            above.push(match (self.tree[at].is_right, self.tree[parent].right) {
                (true, _) => (1.0, 2.0),
                (false, Child::None) => (0.0, 1.0 + undecided),
                (false, _) => (0.0, 2.0),
            });
            at = parent;
        }
        explored_part(above.into_iter().rev())
    }
}
