//! Turns away queries that come too late.
//!
//! Limits of one query are the backends' business; here is the limit of all of them together.

use crate::{Answer, LayerStatistics, Query, Reason, Solver, Statistics};
use selvedge_expr::{Arena, Expr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(crate) struct Limits<S> {
    inner: S,
    total: Option<Duration>,
    stop: Option<Arc<AtomicBool>>,
    statistics: LayerStatistics,
}

impl<S: Solver> Limits<S> {
    pub(crate) fn new(inner: S, total: Option<Duration>, stop: Option<Arc<AtomicBool>>) -> Limits<S> {
        Limits {
            inner,
            total,
            stop,
            statistics: LayerStatistics::new("limits"),
        }
    }

    /// Time that the backends took so far.
    fn spent(&self) -> Duration {
        self.inner
            .statistics()
            .layers
            .iter()
            .map(|layer| layer.time)
            .sum()
    }
}

impl<S: Solver> Solver for Limits<S> {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        if self
            .stop
            .as_ref()
            .is_some_and(|stop| stop.load(Ordering::Relaxed))
        {
            return self.statistics.answer(Answer::Unknown(Reason::Stopped));
        }
        if let Some(total) = self.total
            && self.spent() >= total
        {
            return self.statistics.answer(Answer::Unknown(Reason::Time(total)));
        }
        self.inner.check(arena, query)
    }

    fn core(&self) -> &[Expr] {
        self.inner.core()
    }

    fn statistics(&self) -> Statistics {
        Statistics::above(&self.statistics, self.inner.statistics())
    }
}
