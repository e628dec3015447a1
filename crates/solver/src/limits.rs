//! Rejects queries that come too late, or from another arena.
//!
//! The backends enforce the limits of one query; this layer enforces the limit of all queries
//! together. The layers below identify expressions by their names, which another arena gives to
//! other expressions. Cached answers would then be wrong.

use crate::{Answer, LayerStatistics, Query, Reason, Solver, Statistics};
use selvedge_expr::{Arena, Digest, Expr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(crate) struct Limits<S> {
    inner: S,
    total: Option<Duration>,
    stop: Option<Arc<AtomicBool>>,
    /// The newest expression of a query so far, and its structural hash. They identify the arena.
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

    /// True if the query is from the same arena as earlier ones, as far as the newest expression
    /// shows.
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

    /// The time that the backends have used so far.
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
