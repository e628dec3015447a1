//! Turns away queries that come too late, or from another arena.
//!
//! Limits of one query are the backends' business; here is the limit of all of them together. The
//! layers below know expressions by their names, which another arena gives to other expressions:
//! what was cached would then be wrong.

use crate::{Answer, LayerStatistics, Query, Reason, Solver, Statistics};
use selvedge_expr::{Arena, Digest, Expr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(crate) struct Limits<S> {
    inner: S,
    total: Option<Duration>,
    stop: Option<Arc<AtomicBool>>,
    /// The newest expression of a query so far, and its structural hash: what tells the arena from
    /// others.
    newest: Option<(Expr, Digest)>,
    statistics: LayerStatistics,
}

impl<S: Solver> Limits<S> {
    pub(crate) fn new(inner: S, total: Option<Duration>, stop: Option<Arc<AtomicBool>>) -> Limits<S> {
        Limits {
            inner,
            total,
            stop,
            newest: None,
            statistics: LayerStatistics::new("limits"),
        }
    }

    /// Whether the query is from the same arena as those before, as far as its newest expression
    /// tells.
    fn same_arena(&mut self, arena: &Arena, query: &Query<'_>) -> bool {
        if let Some((e, hash)) = self.newest
            && (e.index() as usize >= arena.len() || arena.hash(e) != hash)
        {
            return false;
        }
        let newest = query.goal.iter().max();
        if let Some(&e) = newest
            && self.newest.is_none_or(|(old, _)| old < e)
        {
            self.newest = Some((e, arena.hash(e)));
        }
        true
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
        if !self.same_arena(arena, query) {
            let fault = Reason::Contradiction("a solver is asked about two arenas");
            return self.statistics.answer(Answer::Unknown(fault));
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
