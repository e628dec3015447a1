//! Splits conjunctions into their conjuncts, so that independence and the cores of refutations
//! refer to the parts.

use crate::path::Followed;
use crate::{Answer, LayerStatistics, Query, Solver, Statistics};
use selvedge_expr::{Arena, BinOp, Expr, Node};

pub(crate) struct Split<S> {
    inner: S,
    followed: Followed,
    path: Vec<Expr>,
    /// For each constraint of the given path, the number of conjuncts before it.
    starts: Vec<usize>,
    goal: Vec<Expr>,
    statistics: LayerStatistics,
}

impl<S: Solver> Split<S> {
    pub(crate) fn new(inner: S) -> Split<S> {
        Split {
            inner,
            followed: Followed::default(),
            path: Vec::new(),
            starts: Vec::new(),
            goal: Vec::new(),
            statistics: LayerStatistics::new("split"),
        }
    }
}

/// Appends the conjuncts of a constraint, in order.
fn conjuncts(arena: &Arena, e: Expr, to: &mut Vec<Expr>) {
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        match arena.node(e) {
            Node::Binary(BinOp::And, a, b) => stack.extend([b, a]),
            _ => to.push(e),
        }
    }
}

impl<S: Solver> Solver for Split<S> {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        let (same, new) = self.followed.turn(query.path);
        if let Some(&start) = self.starts.get(same) {
            self.path.truncate(start);
            self.starts.truncate(same);
        }
        for &e in new {
            self.starts.push(self.path.len());
            conjuncts(arena, e, &mut self.path);
        }
        self.goal.clear();
        for &e in query.goal {
            conjuncts(arena, e, &mut self.goal);
        }
        let query = Query {
            path: &self.path,
            goal: &self.goal,
            hint: query.hint,
        };
        self.inner.check(arena, &query)
    }

    fn core(&self) -> &[Expr] {
        self.inner.core()
    }

    fn statistics(&self) -> Statistics {
        Statistics::above(&self.statistics, self.inner.statistics())
    }
}
