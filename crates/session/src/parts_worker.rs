//! A worker: explores parts of what a session on another machine explores.
//!
//! *Invariant*: it executes nothing natively, and reads and writes no file. It trusts neither the
//! module nor the terms nor the parts: all of them are checked before they are used.

use crate::apart::{Failure, Made, Outcome, Terms, hash};
use crate::assumed::Failed;
use crate::error::Error;
use crate::explore::Exploration;
use crate::job::Job;
use crate::observer::Unobserved;
use crate::options::{Options, Strategy};
use crate::plan::Plan;
use crate::setup::Setup;
use selvedge_base::StopFlag;
use selvedge_explore::kept::{Common, Keeper, Kept, Misfit, Part, Parts, Progress, SampleState, State};
use selvedge_explore::kept::{RecordState, UnitHalt};
use selvedge_explore::{Control, Report};
use selvedge_ir::{Module, verify};
use selvedge_model::{LimitKind, Property, StopReason};
use selvedge_vm::{Carried, Program};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where a worker gets the parts of a search from.
pub trait Source: Sync {
    /// The next part; `None` ends the worker.
    fn next(&self) -> Option<Part>;
    /// Takes what was made of the part that [`next`](Source::next) returned last.
    fn made(&self, made: Made);
    /// As [`Parts::wanted`].
    fn wanted(&self) -> usize;
    /// As [`Parts::gave`].
    fn gave(&self, units: usize);
    /// As [`Parts::is_due`].
    fn is_due(&self) -> bool;
}

/// A program on whose machines parts are explored.
pub struct PartsWorker {
    options: Options,
    plan: Plan,
    setup: Setup,
    program: Arc<Program>,
    properties: BTreeSet<Property>,
    stop: StopFlag,
    control: Mutex<Arc<Control>>,
}

impl PartsWorker {
    /// A worker for a module, as [`Terms::module_bytes`] has written it. `regions`: the threads
    /// that have got regions of memory on demand where the search began.
    ///
    /// # Errors
    /// If the terms are of another version or program, or if the program cannot be run.
    pub fn new(module: &[u8], terms: &Terms, regions: &[(u32, u32)]) -> Result<PartsWorker, Error> {
        let here = env!("CARGO_PKG_VERSION");
        if terms.tool != here {
            let there = &terms.tool;
            return Err(Error::Program(format!(
                "the task is of version {there} of selvedge, and this is {here}"
            )));
        }
        if terms.program != hash(module) {
            return Err(Error::Program("the task is of another program".to_owned()));
        }
        let damaged =
            |what: &dyn std::fmt::Display| Error::Program(format!("the program is damaged: {what}"));
        let module: Module = postcard::from_bytes(module).map_err(|error| damaged(&error))?;
        verify(&module).map_err(|errors| match errors.first() {
            Some(error) => damaged(error),
            None => damaged(&"no reason"),
        })?;
        let module = Arc::new(module);
        let (options, plan) = terms.options().map_err(Error::Program)?;
        let stop = StopFlag::new();
        let control = Arc::new(Control::new());
        let job = Job::new(
            &options,
            (&options.setup, &module),
            (&Unobserved, &control),
            (None, None),
        );
        job.take_for_essential(terms.essential());
        let (setup, program) = job.program(plan, &stop)?;
        let properties = job.properties(plan);
        drop(job);
        if plan.turns && program.turns() != *terms.turns() {
            let what = "identical threads take turns elsewhere here";
            return Err(Error::Internal(what.to_owned()));
        }
        program.carry_on(&Carried {
            regions: regions.to_vec(),
            spoiled: terms.stepping(),
            ..Carried::default()
        });
        Ok(PartsWorker {
            options,
            plan,
            setup,
            program,
            properties,
            stop,
            control: Mutex::new(control),
        })
    }

    /// True if its machines have the same regions, as far as these go.
    pub fn has_regions(&self, regions: &[(u32, u32)]) -> bool {
        self.program.carried().regions.starts_with(regions)
    }

    /// Ends the present exploration, within a step. What was made of its part is
    /// [`Progress::Stopped`].
    pub fn stop(&self) {
        lock(&self.control).request_stop(LimitKind::Interrupted, "given up");
        self.stop.set();
    }

    /// Explores parts until there are no more, until one was stopped, or until the search has to
    /// begin again.
    pub fn explore(&self, common: &Common, source: &dyn Source) {
        let control = self.begin();
        self.exploration(&control)
            .explore_parts(self.properties.clone(), common, &|failed, explore| {
                explore(&Counted {
                    source,
                    failed,
                    program: &self.program,
                    before: Mutex::new(self.program.carried()),
                });
            });
    }

    /// Explores a sample until it is due, or stopped.
    pub fn sample(&self, from: Option<SampleState>, is_due: &(dyn Fn() -> bool + Sync)) -> Made {
        let control = self.begin();
        let before = self.program.carried();
        let keeper = Sampling {
            is_due,
            control: &control,
            state: Mutex::default(),
        };
        let from = from.map(State::Sample);
        let kept = Kept {
            from: from.as_ref(),
            keeper: Some(&keeper),
        };
        let report = self
            .exploration(&control)
            .explore_sample(self.properties.clone(), kept);
        let state = keeper.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let outcome = match (report, state) {
            (Err(misfit), _) => Outcome::Misfit(misfit.to_string()),
            (Ok(Err(failed)), _) => Outcome::Failed(Failure(failed)),
            (Ok(Ok(_)), Some(state)) => Outcome::Sample(state),
            (Ok(Ok(_)), None) if control.is_stop_requested() => Outcome::Part(Progress::Stopped),
            (Ok(Ok(report)), None) => sampled(report),
        };
        Made {
            outcome,
            common: Common::default(),
            learned: self.program.carried().since(&before),
        }
    }

    fn begin(&self) -> Arc<Control> {
        let control = Arc::new(Control::new());
        *lock(&self.control) = Arc::clone(&control);
        self.stop.clear();
        control
    }

    fn exploration<'a>(&'a self, control: &'a Arc<Control>) -> Exploration<'a> {
        Exploration {
            options: &self.options,
            plan: self.plan,
            setup: &self.setup,
            program: &self.program,
            observer: &Unobserved,
            control,
            budget: None,
            elsewhere: None,
            belongs: None,
            from: None,
        }
    }

    /// True if the strategy takes samples.
    pub fn samples(&self) -> bool {
        matches!(self.plan.strategy, Strategy::Random | Strategy::Pct)
    }
}

/// The results of a sample that has come to its end.
fn sampled(report: Report) -> Outcome {
    let record = RecordState {
        statistics: report.statistics,
        faults: report.faults,
        unsupported: report.unsupported,
        limits: report.limits,
    };
    match report.stop {
        StopReason::Finding => Outcome::Sampled(record, UnitHalt::Finding),
        StopReason::Limit(limit) => Outcome::Sampled(record, UnitHalt::Limit(limit)),
        StopReason::Complete => Outcome::Misfit("a sample is complete".to_owned()),
    }
}

/// A source whose parts are returned with what was learned since.
struct Counted<'a> {
    source: &'a dyn Source,
    failed: &'a (dyn Fn() -> Option<Failed> + Sync),
    program: &'a Program,
    before: Mutex<Carried>,
}

impl Parts for Counted<'_> {
    fn next(&self) -> Option<Part> {
        self.source.next()
    }

    fn made(&self, progress: Result<Progress, Misfit>, common: &Common) {
        let now = self.program.carried();
        let before = std::mem::replace(&mut *lock(&self.before), now.clone());
        let outcome = match ((self.failed)(), progress) {
            (Some(failed), _) => Outcome::Failed(Failure(failed)),
            (None, Ok(progress)) => Outcome::Part(progress),
            (None, Err(misfit)) => Outcome::Misfit(misfit.to_string()),
        };
        self.source.made(Made {
            outcome,
            common: common.clone(),
            learned: now.since(&before),
        });
    }

    fn wanted(&self) -> usize {
        self.source.wanted()
    }

    fn gave(&self, units: usize) {
        self.source.gave(units);
    }

    fn is_due(&self) -> bool {
        self.source.is_due()
    }
}

/// Keeps the state of a sample when it is due, and ends it.
struct Sampling<'a> {
    is_due: &'a (dyn Fn() -> bool + Sync),
    control: &'a Control,
    state: Mutex<Option<SampleState>>,
}

impl Keeper for Sampling<'_> {
    fn is_due(&self) -> bool {
        !self.control.is_stop_requested() && (self.is_due)()
    }

    fn keep(&self, state: State) {
        if let State::Sample(state) = state {
            *lock(&self.state) = Some(state);
            self.control.request_stop(LimitKind::Interrupted, "kept");
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
