//! Who keeps states of an exploration.

use super::State;
use crate::Report;
use crate::record::Record;
use selvedge_base::StmtId;
use selvedge_model::{Limit, LimitKind, StopReason};

/// Keeps states, so that another process can go on. Asked by all workers between executions.
pub trait Keeper: Sync {
    /// Whether a state is wanted now.
    fn is_due(&self) -> bool;

    /// Keeps a state. No worker explores meanwhile.
    fn keep(&self, state: State);
}

/// Where an exploration begins, and who keeps states of it.
#[derive(Clone, Copy, Default)]
pub struct Kept<'a> {
    /// The state to go on from; `None`: the beginning.
    pub from: Option<&'a State>,
    /// Who keeps states.
    pub keeper: Option<&'a dyn Keeper>,
}

/// A state that is none of this exploration's: of another program, with other options, or damaged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the state that was kept does not fit: {0}")]
pub struct Misfit(pub &'static str);

impl Misfit {
    /// For an exploration from the beginning, which has no state that could be another's.
    pub(crate) fn never(self) -> Report {
        let limit = Limit {
            kind: LimitKind::Interrupted,
            detail: self.to_string(),
            stmt: StmtId(0),
        };
        Record::default().finish(StopReason::Limit(limit))
    }
}
