//! Building a solver.

use crate::Solver;
use crate::bits::{self, Bits};
use crate::cache::Cache;
use crate::domain::Domain;
use crate::independence::Independence;
use crate::limits::Limits;
use crate::split::Split;
use crate::trivial::Trivial;
use crate::validate::Validate;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a chain is made of.
#[derive(Clone, Debug)]
pub struct Options {
    /// Layer `split`: conjunctions become their conjuncts.
    pub split: bool,
    /// Layer `trivial`: constants, and what the path has already.
    pub trivial: bool,
    /// Layer `domain`: sets of values of inputs that are constrained alone.
    pub domain: bool,
    /// Layer `independence`: only what shares inputs with the goal.
    pub independence: bool,
    /// Layer `cache`: answers and models from before.
    pub cache: bool,
    /// Layer `validate`: every model of a backend is evaluated.
    pub validate: bool,
    /// Time for one query in one backend; depends on the machine, so it is a last resort.
    pub time: Option<Duration>,
    /// Time for all queries together.
    pub total_time: Option<Duration>,
    /// Conflicts that a query may cause in `bits`.
    pub conflicts: Option<u64>,
    /// Ends a query, and turns away further ones, when set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            split: true,
            trivial: true,
            domain: true,
            independence: true,
            cache: true,
            validate: true,
            time: Some(Duration::from_secs(30)),
            total_time: None,
            conflicts: None,
            stop: None,
        }
    }
}

impl Options {
    fn bits(&self, conflicts: Option<u64>) -> Bits {
        Bits::new(bits::Limits {
            conflicts,
            time: self.time,
            stop: self.stop.clone(),
        })
    }
}

/// A solver of the layers and backends that the options name. It belongs to one arena.
pub fn chain(options: Options) -> Box<dyn Solver> {
    let mut solver: Box<dyn Solver> = Box::new(options.bits(options.conflicts));
    if options.validate {
        solver = Box::new(Validate::new(solver));
    }
    if options.cache {
        solver = Box::new(Cache::new(solver));
    }
    if options.independence {
        solver = Box::new(Independence::new(solver));
    }
    if options.domain {
        solver = Box::new(Domain::new(solver));
    }
    if options.trivial {
        solver = Box::new(Trivial::new(solver));
    }
    if options.split {
        solver = Box::new(Split::new(solver));
    }
    Box::new(Limits::new(solver, options.total_time, options.stop))
}
