//! The interface for saving states of an exploration.

use super::State;
use crate::Report;
use crate::record::Record;
use selvedge_base::StmtId;
use selvedge_model::{Limit, LimitKind, StopReason};

/// Saves states, so that another process can continue. All workers call it between executions.
pub trait Keeper: Sync {
    /// True if a state is wanted now.
    fn is_due(&self) -> bool;

    /// Saves a state. No worker explores meanwhile.
    fn keep(&self, state: State);
}

/// The state with which an exploration begins, and where its states are saved.
#[derive(Clone, Copy, Default)]
pub struct Kept<'a> {
    /// The saved state from which to continue; `None` for the beginning.
    pub from: Option<&'a State>,
    /// Saves states, if present.
    pub keeper: Option<&'a dyn Keeper>,
}

/// A state that does not fit this exploration: it is from another program, has other options, or is
/// damaged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the state that was kept does not fit: {0}")]
pub struct Misfit(pub &'static str);

impl Misfit {
    /// For an exploration from the beginning, which has no saved state that could be wrong.
    pub(crate) fn never(self) -> Report {
        let limit = Limit {
            kind: LimitKind::Interrupted,
            detail: self.to_string(),
            stmt: StmtId(0),
        };
        Record::default().finish(StopReason::Limit(limit))
    }
}
