//! Queries, and who decides them.

use crate::{Answer, Statistics};
use selvedge_expr::{Arena, Assignment, Expr};

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
