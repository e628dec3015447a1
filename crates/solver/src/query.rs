//! Queries and answers.

use crate::Statistics;
use selvedge_expr::{Arena, Assignment, Expr};
use std::rc::Rc;
use std::time::Duration;

/// Can these constraints hold together? All are expressions of width 1.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Constraints that are known to be satisfiable together, oldest first. From one query to the
    /// next, the path usually grows or shrinks at its end, and layers use this.
    pub path: &'a [Expr],
    /// Further constraints, usually one.
    pub goal: &'a [Expr],
    /// Values with which the path holds. The answer takes the values of inputs that do not matter
    /// from here. Without a hint, the whole path is solved again if a model is requested.
    pub hint: Option<&'a Assignment>,
}

impl<'a> Query<'a> {
    /// All constraints of the query.
    pub fn constraints(&self) -> impl Iterator<Item = Expr> + 'a {
        self.path.iter().chain(self.goal).copied()
    }
}

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

/// Decides queries. A solver belongs to one [`Arena`]: it remembers expressions by their names.
pub trait Solver {
    /// Decides a query.
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer;

    /// Constraints of the last query that cannot hold together, if its answer was [`Answer::Unsat`]
    /// and they are known; else nothing.
    fn core(&self) -> &[Expr] {
        &[]
    }

    /// What the layers did, the outermost first.
    fn statistics(&self) -> Statistics;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        (**self).check(arena, query)
    }

    fn core(&self) -> &[Expr] {
        (**self).core()
    }

    fn statistics(&self) -> Statistics {
        (**self).statistics()
    }
}
