//! The answer to a query.

use selvedge_expr::Assignment;
use std::rc::Rc;
use std::time::Duration;

/// The result of a query.
#[derive(Clone, Debug)]
pub enum Answer {
    /// They hold with these values.
    Sat(Rc<Assignment>),
    /// They cannot hold together.
    Unsat,
    /// Not decided, with the reason. The caller must not treat this as one of the others.
    Unknown(Reason),
}

impl Answer {
    /// Whether it is `Sat`.
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// Whether it is `Unsat`.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat)
    }
}

/// Why a query was not decided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// The time for one query, or for all of them, was used up.
    #[error("the solver's time limit of {0:?} is used up")]
    Time(Duration),
    /// The number of conflicts that one query may cause was reached.
    #[error("the solver's limit of {0} conflicts is reached")]
    Conflicts(u64),
    /// The expressions of the query have more nodes than allowed.
    #[error("the query has more than {0} nodes")]
    Size(usize),
    /// It was told to stop.
    #[error("the solver was interrupted")]
    Stopped,
    /// An operation that no backend can express exactly.
    #[error("the solver does not support {0}")]
    Unsupported(&'static str),
    /// A backend gave up and says this.
    #[error("the solver gave up: {0}")]
    GaveUp(String),
    /// A check of the answer failed: an error in Selvedge or in a backend.
    #[error("the solver contradicts itself: {0}")]
    Contradiction(&'static str),
}
