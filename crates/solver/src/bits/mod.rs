//! The first backend: bit-blasting to the SAT solver batsat.
//!
//! Expressions become circuits with structural hashing once (`lower`, `words`, `gates`); a query
//! encodes the part of the circuit under its constraints as clauses for a new SAT solver (`cnf`).
//! The hint says which values of the input bits to try first, so that models stay close to it.
//! Exact for all integer operations at all widths; floating-point arithmetic is unsupported here.

mod cnf;
mod gates;
mod lower;
mod words;

use crate::{Answer, LayerStatistics, Query, Reason, Solver, Statistics};
use cnf::{Budget, Encoder, Outcome};
use gates::Lit;
use lower::{Lowering, NoCircuit};
use rustc_hash::FxHashMap;
use selvedge_expr::{Arena, Assignment, Expr, InputId};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Gates after which the circuit starts anew (about 100 bytes each).
const MOST_GATES: usize = 20_000_000;

/// What this backend does not support.
pub(crate) const FLOATS: &str = "floating-point arithmetic in circuits";

/// The backend.
pub(crate) struct Bits {
    lowering: Lowering,
    encoder: Encoder,
    limits: Limits,
    core: Vec<Expr>,
    statistics: LayerStatistics,
}

/// Limits of one query.
#[derive(Clone, Default)]
pub(crate) struct Limits {
    pub(crate) conflicts: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) stop: Option<Arc<AtomicBool>>,
}

impl Bits {
    pub(crate) fn new(name: &'static str, limits: Limits) -> Bits {
        Bits {
            lowering: Lowering::new(limits.stop.clone()),
            encoder: Encoder::default(),
            limits,
            core: Vec::new(),
            statistics: LayerStatistics::new(name),
        }
    }

    fn decide(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        if self.lowering.circuit.len() > MOST_GATES {
            self.lowering = Lowering::new(self.limits.stop.clone());
            self.encoder = Encoder::default();
        }
        let mut constraints: Vec<Lit> = Vec::with_capacity(query.path.len() + query.goal.len());
        for e in query.constraints() {
            match self.lowering.truth(arena, e) {
                Ok(lit) => constraints.push(lit),
                Err(NoCircuit::Float) => return Answer::Unknown(Reason::Unsupported(FLOATS)),
                Err(NoCircuit::Stopped) => return Answer::Unknown(Reason::Stopped),
            }
        }
        let budget = Budget {
            conflicts: self.limits.conflicts,
            deadline: self.limits.time.map(|time| Instant::now() + time),
            stop: self.limits.stop.clone(),
        };
        let lowering = &self.lowering;
        let phase = |gate| {
            let (input, bit) = lowering.owner(gate)?;
            Some(query.hint?.get(input)? >> bit & 1 != 0)
        };
        let outcome = self
            .encoder
            .solve(&lowering.circuit, &constraints, phase, &budget);
        self.statistics.conflicts += self.encoder.conflicts();
        match outcome {
            Outcome::Satisfiable(values) => Answer::Sat(Rc::new(self.model(arena, query, &values))),
            Outcome::Unsatisfiable(numbers) => {
                let all: Vec<Expr> = query.constraints().collect();
                self.core = numbers.iter().map(|&number| all[number]).collect();
                if self.core.is_empty() {
                    return Answer::Unknown(Reason::Contradiction(
                        "a circuit without constraints is refuted",
                    ));
                }
                Answer::Unsat
            }
            Outcome::Conflicts => {
                Answer::Unknown(Reason::Conflicts(self.limits.conflicts.unwrap_or_default()))
            }
            Outcome::Late => Answer::Unknown(Reason::Time(self.limits.time.unwrap_or_default())),
            Outcome::Broken => Answer::Unknown(Reason::Contradiction("a wire has no variable")),
            Outcome::Stopped => Answer::Unknown(Reason::Stopped),
        }
    }

    /// The hint, with the bits that the SAT solver chose.
    fn model(&self, arena: &Arena, query: &Query<'_>, values: &FxHashMap<usize, bool>) -> Assignment {
        let mut model = query.hint.cloned().unwrap_or_default();
        let mut done: Vec<InputId> = Vec::new();
        for e in query.constraints() {
            for &input in arena.inputs_of(e).iter() {
                // Inputs come sorted for each constraint, and many constraints have the same.
                let Err(place) = done.binary_search(&input) else {
                    continue;
                };
                done.insert(place, input);
                let mut value = model.value(input);
                for (bit, lit) in self.lowering.input(input).unwrap_or_default().iter().enumerate() {
                    if let Some(&set) = values.get(&lit.gate()) {
                        value = value & !(1 << bit) | u128::from(set) << bit;
                    }
                }
                model.set(input, value);
            }
        }
        model
    }
}

impl Solver for Bits {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        self.core.clear();
        let start = Instant::now();
        let answer = self.decide(arena, query);
        self.statistics.time += start.elapsed();
        self.statistics.answer(answer)
    }

    fn core(&self) -> &[Expr] {
        &self.core
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            layers: vec![self.statistics.clone()],
        }
    }
}
