//! The machine's solver. It is made at the first query, so programs without inputs pay nothing.

use crate::statistics::{LayerStatistics, SolverStatistics};
use selvedge_expr::Arena;
use selvedge_solver::{Answer, Options, Query, Solver, chain};
use std::time::{Duration, Instant};

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct LazySolver {
    chain: Option<Box<dyn Solver>>,
    queries: u64,
    time: Duration,
    /// Decisions that had more than one possible outcome.
    pub branches: u64,
}

impl LazySolver {
    /// Decides a query.
    pub fn check(&mut self, options: &Options, arena: &Arena, query: &Query<'_>) -> Answer {
        let chain = self.chain.get_or_insert_with(|| chain(options.clone()));
        let start = Instant::now();
        let answer = chain.check(arena, query);
        self.time += start.elapsed();
        self.queries += 1;
        answer
    }

    /// The number of queries that were decided.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// The counts, if there was a query.
    pub fn counts(&self) -> Option<SolverStatistics> {
        let chain = self.chain.as_ref()?;
        let layers = chain
            .statistics()
            .layers
            .into_iter()
            .map(|layer| LayerStatistics {
                name: layer.name.to_owned(),
                queries: layer.queries,
                answered: layer.sat + layer.unsat,
                seconds: layer.time.as_secs_f64(),
            });
        Some(SolverStatistics {
            branches: self.branches,
            queries: self.queries,
            seconds: self.time.as_secs_f64(),
            layers: layers.collect(),
        })
    }
}
