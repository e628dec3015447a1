//! Checks answers before they are used.
//!
//! Every model is always evaluated on the whole query; evaluation does not share code with any
//! encoding. A refutation has no such cheap check. On request a second backend is queried, and also
//! for the core alone.

use crate::{Answer, LayerStatistics, Query, Reason, Solver, Statistics};
use selvedge_expr::{Arena, Assignment, Evaluator, Expr};

pub(crate) struct Validate<S> {
    inner: S,
    /// The second backend, for refutations.
    other: Option<Box<dyn Solver>>,
    evaluator: Evaluator,
    statistics: LayerStatistics,
}

impl<S: Solver> Validate<S> {
    pub(crate) fn new(inner: S, other: Option<Box<dyn Solver>>) -> Validate<S> {
        Validate {
            inner,
            other,
            evaluator: Evaluator::new(),
            statistics: LayerStatistics::new("validate"),
        }
    }

    fn holds(&mut self, arena: &Arena, model: &Assignment, query: &Query<'_>) -> bool {
        self.evaluator.forget();
        query
            .constraints()
            .all(|e| self.evaluator.eval_same(arena, e, model) != 0)
    }

    /// The error of an answer, if there is one.
    fn fault(&mut self, arena: &Arena, query: &Query<'_>, answer: &Answer) -> Option<&'static str> {
        match answer {
            Answer::Sat(model) if !self.holds(arena, model, query) => {
                Some("a model does not satisfy its query")
            }
            Answer::Unsat => {
                let core = self.inner.core().to_vec();
                if core.iter().any(|&e| !query.constraints().any(|c| c == e)) {
                    return Some("a core has a constraint that the query has not");
                }
                let other = self.other.as_mut()?;
                if other.check(arena, query).is_sat() {
                    return Some("one backend refutes what the other satisfies");
                }
                let core = Query {
                    path: &[],
                    goal: &core,
                    hint: None,
                };
                let wrong = !core.goal.is_empty() && other.check(arena, &core).is_sat();
                wrong.then_some("a core is satisfiable")
            }
            _ => None,
        }
    }
}

impl<S: Solver> Solver for Validate<S> {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        let answer = self.inner.check(arena, query);
        match self.fault(arena, query, &answer) {
            Some(fault) => self
                .statistics
                .answer(Answer::Unknown(Reason::Contradiction(fault))),
            None => answer,
        }
    }

    fn core(&self) -> &[Expr] {
        self.inner.core()
    }

    fn statistics(&self) -> Statistics {
        Statistics::above(&self.statistics, self.inner.statistics())
    }
}
