//! The machine's solver. It is made at the first query, so programs without inputs pay nothing.

use crate::program::Error;
use crate::statistics::{LayerStatistics, SolverStatistics};
use selvedge_expr::Arena;
use selvedge_solver::{Answer, Options, Query, Sink, Solver, chain};
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

/// The options of all solvers of a program. Those that write queries share one directory.
///
/// # Errors
/// If a layer's name does not exist, or the directory cannot be made.
pub(crate) fn solver_options(of: &crate::Options) -> Result<Options, Error> {
    let options = &of.solver;
    let mut all = Options {
        time: options.timeout,
        stop: Some(of.stop.shared()),
        ..Options::default()
    };
    if let Some(layers) = &options.layers {
        all = all
            .with_layers(layers)
            .map_err(|e| Error::SolverOptions(e.to_string()))?;
    }
    if let Some(directory) = &options.log_queries {
        let failed = |e| Error::SolverOptions(format!("{}: {e}", directory.display()));
        all.log = Some(Sink::directory(directory).map_err(failed)?);
    }
    Ok(all)
}
