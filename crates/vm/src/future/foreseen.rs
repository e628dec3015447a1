//! The predictions that a machine has made.

use super::prediction::Future;
use super::remembered::Remembered;
use rustc_hash::FxHashMap;
use selvedge_base::{StmtId, ThreadId};

/// The predictions so far.
#[derive(Debug, Default)]
pub(crate) struct Foreseen {
    /// The observed thread and the prediction, for the present state.
    pub(crate) known: Option<(ThreadId, Future)>,
    pub(super) remembered: Remembered,
    /// For each statement, the number of useful answers, and the number of instructions that were
    /// followed.
    pays: FxHashMap<StmtId, (u64, u64)>,
}

/// How many instructions may be followed before a statement: before anything is known of it, and on
/// average for a useful answer.
struct Worth {
    trial: u64,
    average: u64,
}

/// About what a few steps cost.
const SPARING: Worth = Worth {
    trial: 3_000,
    average: 100,
};
/// So much that hardly any answer is missing.
const GENEROUS: Worth = Worth {
    trial: 1_000_000,
    average: 4_000,
};

impl Foreseen {
    /// True if asking before a statement has paid so far.
    pub(crate) fn pays(&self, stmt: StmtId, sparing: bool) -> bool {
        let worth = if sparing { &SPARING } else { &GENEROUS };
        let (useful, followed) = self.pays.get(&stmt).copied().unwrap_or_default();
        followed <= worth.trial + useful * worth.average
    }

    /// Records a prediction. The observed thread is before a statement.
    pub(super) fn learn(&mut self, still: ThreadId, stmt: StmtId, future: Future) {
        self.pays.entry(stmt).or_default().1 += u64::from(future.followed);
        self.known = Some((still, future));
    }

    /// Records that an answer was useful.
    pub(crate) fn was_useful(&mut self, stmt: StmtId) {
        self.pays.entry(stmt).or_default().0 += 1;
    }
}
