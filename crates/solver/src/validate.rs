//! Checks answers before anything is built on them.
//!
//! Every model is evaluated on the whole query, always: evaluation is another piece of code than any encoding.

use crate::{Answer, LayerStatistics, Query, Reason, Solver, Statistics};
use selvedge_expr::{Arena, Assignment, Evaluator, Expr};

pub(crate) struct Validate<S> {
    inner: S,
    evaluator: Evaluator,
    statistics: LayerStatistics,
}

impl<S: Solver> Validate<S> {
    pub(crate) fn new(inner: S) -> Validate<S> {
        Validate {
            inner,
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

    /// What is wrong with an answer.
    fn fault(&mut self, arena: &Arena, query: &Query<'_>, answer: &Answer) -> Option<&'static str> {
        match answer {
            Answer::Sat(model) if !self.holds(arena, model, query) => {
                Some("a model does not satisfy its query")
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
