//! Building a solver.

use crate::Solver;
use crate::bits::{self, Bits};
use crate::cache::Cache;
use crate::domain::Domain;
use crate::fallback::Fallback;
use crate::independence::Independence;
use crate::limits::Limits;
use crate::log::{Log, Sink};
use crate::split::Split;
use crate::trivial::Trivial;
use crate::validate::Validate;
use crate::z3::Z3;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The backends at the end of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// `bits` within [`Options::first_conflicts`], then `z3` for a quarter of the time, then `bits`
    /// again.
    #[default]
    Both,
    /// Bit-blasting only.
    Bits,
    /// Z3 only.
    Z3,
}

/// The parts of a chain.
#[derive(Clone, Debug)]
pub struct Options {
    /// Layer `split`: conjunctions become their conjuncts.
    pub split: bool,
    /// Layer `trivial`: constants, and constraints that the path has already.
    pub trivial: bool,
    /// Layer `domain`: sets of values of inputs that are constrained alone.
    pub domain: bool,
    /// Layer `independence`: only constraints that share inputs with the goal.
    pub independence: bool,
    /// Layer `cache`: earlier answers and models.
    pub cache: bool,
    /// Layer `validate`: every model of a backend is evaluated.
    pub validate: bool,
    /// If set, a second backend checks every refutation of the first. This is slow; it is for tests
    /// and for finding errors.
    pub cross_check: bool,
    /// The backends.
    pub backend: Backend,
    /// The time for one query in one backend. It depends on the machine, so it is a last resort.
    pub time: Option<Duration>,
    /// Time for all queries together.
    pub total_time: Option<Duration>,
    /// The number of conflicts that a query may cause in `bits` before `z3` is tried.
    pub first_conflicts: u64,
    /// The number of conflicts that a query may cause in `bits` if no other backend follows.
    pub conflicts: Option<u64>,
    /// Where queries that reach a backend are written.
    pub log: Option<Sink>,
    /// Seed of the backends' random choices.
    pub seed: u32,
    /// Ends a query and rejects further ones, when set.
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
            cross_check: false,
            backend: Backend::Both,
            time: Some(Duration::from_secs(30)),
            total_time: None,
            first_conflicts: 2_000,
            conflicts: None,
            log: None,
            seed: 0,
            stop: None,
        }
    }
}

/// A name that is not the name of a layer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "no layer of the solver is called `{0}`; there are split, trivial, domain, independence, cache, validate and cross-check"
)]
pub struct UnknownLayer(pub String);

impl Options {
    /// The same options with these layers and no others, by name.
    ///
    /// # Errors
    /// If a name is not one of a layer.
    pub fn with_layers(mut self, names: &[String]) -> Result<Options, UnknownLayer> {
        let layers = [
            ("split", &mut self.split),
            ("trivial", &mut self.trivial),
            ("domain", &mut self.domain),
            ("independence", &mut self.independence),
            ("cache", &mut self.cache),
            ("validate", &mut self.validate),
            ("cross-check", &mut self.cross_check),
        ];
        if let Some(unknown) = names
            .iter()
            .find(|name| !layers.iter().any(|(layer, _)| layer == name))
        {
            return Err(UnknownLayer(unknown.clone()));
        }
        for (layer, on) in layers {
            *on = names.iter().any(|name| name == layer);
        }
        Ok(self)
    }

    fn bits(&self, name: &'static str, conflicts: Option<u64>) -> Bits {
        let limits = bits::Limits {
            conflicts,
            time: self.time,
            stop: self.stop.clone(),
        };
        Bits::new(name, limits)
    }

    fn z3(&self, time: Option<Duration>) -> Z3 {
        Z3::new(time, self.seed, self.stop.clone())
    }

    fn backend(&self) -> Box<dyn Solver> {
        match self.backend {
            Backend::Bits => Box::new(self.bits("bits", self.conflicts)),
            Backend::Z3 => Box::new(self.z3(self.time)),
            Backend::Both => {
                // Products of unknowns that Z3 cannot rewrite are faster in `bits`; Z3 decides the
                // others at once.
                let z3 = self.z3(self.time.map(|time| time / 4));
                let last = Fallback::new("hard", z3, self.bits("bits again", self.conflicts));
                let first = self.bits("bits", Some(self.first_conflicts));
                Box::new(Fallback::new("fallback", first, last))
            }
        }
    }

    /// The backend that did not give the answer.
    fn other(&self) -> Option<Box<dyn Solver>> {
        if !self.cross_check {
            return None;
        }
        Some(match self.backend {
            Backend::Bits | Backend::Both => Box::new(self.z3(self.time)),
            Backend::Z3 => Box::new(self.bits("bits", self.conflicts)),
        })
    }
}

/// A solver with the layers and backends that the options name. It belongs to one arena.
pub fn chain(options: Options) -> Box<dyn Solver> {
    let mut solver = options.backend();
    if let Some(sink) = &options.log {
        solver = Box::new(Log::new(solver, sink.clone()));
    }
    if options.validate || options.cross_check {
        solver = Box::new(Validate::new(solver, options.other()));
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
