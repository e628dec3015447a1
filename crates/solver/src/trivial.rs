//! Queries that need no search: constants, and constraints that the path has already, or whose
//! negation it has.
//!
//! Constants come from the constructors of expressions, which decide comparisons by intervals and
//! known bits.

use crate::path::Followed;
use crate::{Answer, LayerStatistics, Query, Solver, Statistics};
use rustc_hash::FxHashMap;
use selvedge_expr::{Arena, Expr};
use std::rc::Rc;

pub(crate) struct Trivial<S> {
    inner: S,
    followed: Followed,
    path: Vec<Expr>,
    /// The number of times that each constraint is in the path.
    present: FxHashMap<Expr, u32>,
    goal: Vec<Expr>,
    core: Vec<Expr>,
    statistics: LayerStatistics,
}

impl<S: Solver> Trivial<S> {
    pub(crate) fn new(inner: S) -> Trivial<S> {
        Trivial {
            inner,
            followed: Followed::default(),
            path: Vec::new(),
            present: FxHashMap::default(),
            goal: Vec::new(),
            core: Vec::new(),
            statistics: LayerStatistics::new("trivial"),
        }
    }

    fn follow(&mut self, path: &[Expr]) {
        let (same, new) = self.followed.turn(path);
        for e in self.path.drain(same..) {
            if let Some(count) = self.present.get_mut(&e) {
                *count -= 1;
                if *count == 0 {
                    self.present.remove(&e);
                }
            }
        }
        for &e in new {
            self.path.push(e);
            *self.present.entry(e).or_insert(0) += 1;
        }
    }

    fn refuted(&mut self, core: &[Expr]) -> Answer {
        self.core.extend_from_slice(core);
        self.statistics.answer(Answer::Unsat)
    }
}

impl<S: Solver> Solver for Trivial<S> {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        self.follow(query.path);
        self.goal.clear();
        self.core.clear();
        for &e in query.goal {
            if arena.is_true(e) || self.present.contains_key(&e) || self.goal.contains(&e) {
                continue;
            }
            if arena.is_false(e) {
                return self.refuted(&[e]);
            }
            let opposite = arena.not(e);
            if self.present.contains_key(&opposite) || self.goal.contains(&opposite) {
                return self.refuted(&[opposite, e]);
            }
            self.goal.push(e);
        }
        if self.goal.is_empty()
            && let Some(hint) = query.hint
        {
            return self.statistics.answer(Answer::Sat(Rc::new(hint.clone())));
        }
        let query = Query {
            path: query.path,
            goal: &self.goal,
            hint: query.hint,
        };
        self.inner.check(arena, &query)
    }

    fn core(&self) -> &[Expr] {
        if self.core.is_empty() {
            self.inner.core()
        } else {
            &self.core
        }
    }

    fn statistics(&self) -> Statistics {
        Statistics::above(&self.statistics, self.inner.statistics())
    }
}
