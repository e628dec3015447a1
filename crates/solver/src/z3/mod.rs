//! The second backend: Z3, for hard arithmetic and for floats.
//!
//! It uses Debian's libz3 through the crate `z3`. Expressions become terms of the theories of bit
//! vectors and floating-point numbers once (`lower`, `floats`). Each query gets a new Z3 solver
//! that is not used incrementally, so Z3 selects its tactics for the logic. Measurements show that
//! its incremental solver is slower at everything that comes here, ten times for overflows of
//! products. There are no cores: tracking constraints turns off most of Z3's preprocessing, and
//! this preprocessing (its rewriting of polynomials) is the reason for using Z3.
//!
//! All instances of one thread share the thread's Z3 context. Z3's limit is a time. Z3 cannot poll
//! a flag, so while it works another thread polls the stop flag and interrupts it.

mod floats;
mod lower;
mod unsupported;

use crate::{Answer, LayerStatistics, Query, Reason, Solver, Statistics};
use ::z3::{Params, SatResult};
use lower::Lowering;
use selvedge_expr::{Arena, Assignment};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the stop flag is looked at while Z3 works.
const TICK: Duration = Duration::from_millis(20);

/// Terms after which the memory of them starts anew.
const MOST_TERMS: usize = 1_000_000;

/// The backend.
pub(crate) struct Z3 {
    lowering: Lowering,
    time: Option<Duration>,
    seed: u32,
    stop: Option<Arc<AtomicBool>>,
    statistics: LayerStatistics,
}

impl Z3 {
    pub(crate) fn new(time: Option<Duration>, seed: u32, stop: Option<Arc<AtomicBool>>) -> Z3 {
        Z3 {
            lowering: Lowering::default(),
            time,
            seed,
            stop,
            statistics: LayerStatistics::new("z3"),
        }
    }

    fn solver(&self) -> ::z3::Solver {
        let solver = ::z3::Solver::new();
        let mut params = Params::new();
        if let Some(time) = self.time {
            let milliseconds = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
            params.set_u32("timeout", milliseconds.max(1));
        }
        params.set_u32("random_seed", self.seed);
        solver.set_params(&params);
        solver
    }

    fn decide(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        if self.lowering.len() > MOST_TERMS {
            self.lowering = Lowering::default();
        }
        let start = Instant::now();
        let solver = self.solver();
        for e in query.constraints() {
            if self.is_stopped() {
                return Answer::Unknown(Reason::Stopped);
            }
            match self.lowering.truth(arena, e) {
                Ok(term) => solver.assert(&term),
                Err(what) => return Answer::Unknown(Reason::Unsupported(what)),
            }
        }
        match self.run(&solver) {
            SatResult::Unsat => Answer::Unsat,
            SatResult::Sat => match solver.get_model() {
                Some(model) => self.model(arena, query, &model),
                None => Answer::Unknown(Reason::GaveUp("Z3 has no model".to_owned())),
            },
            SatResult::Unknown if self.is_stopped() => Answer::Unknown(Reason::Stopped),
            SatResult::Unknown => Answer::Unknown(match self.time {
                Some(time) if start.elapsed() >= time => Reason::Time(time),
                _ => Reason::GaveUp(solver.get_reason_unknown().unwrap_or_default()),
            }),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop
            .as_ref()
            .is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Runs Z3, beside a thread that interrupts it if it is told to stop.
    fn run(&self, solver: &::z3::Solver) -> SatResult {
        let Some(stop) = &self.stop else {
            return solver.check();
        };
        let context = solver.get_context();
        let handle = context.handle();
        let (done, finished) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let interrupt = move || {
                while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(TICK) {
                    if stop.load(Ordering::Relaxed) {
                        // Again and again: an interrupt that comes before Z3 has begun is lost.
                        handle.interrupt();
                    }
                }
            };
            // Without such a thread Z3 ends at its time.
            let _ = thread::Builder::new().spawn_scoped(scope, interrupt);
            let answer = solver.check();
            drop(done);
            answer
        })
    }

    fn model(&mut self, arena: &Arena, query: &Query<'_>, model: &::z3::Model) -> Answer {
        let mut whole: Assignment = query.hint.cloned().unwrap_or_default();
        for e in query.constraints() {
            for &input in arena.inputs_of(e).iter() {
                match self.lowering.value(arena, model, input) {
                    Some(value) => whole.set(input, value),
                    None => {
                        return Answer::Unknown(Reason::GaveUp("Z3 has no value for an input".to_owned()));
                    }
                }
            }
        }
        Answer::Sat(Rc::new(whole))
    }
}

impl Solver for Z3 {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        let start = Instant::now();
        let answer = self.decide(arena, query);
        self.statistics.time += start.elapsed();
        self.statistics.answer(answer)
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            layers: vec![self.statistics.clone()],
        }
    }
}
