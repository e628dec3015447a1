//! What is to be explored, and one exploration of it by one plan, until the result stands.

use crate::checkpoint::{Belongs, Checkpoint};
use crate::conclude::{Explored, report_before};
use crate::error::Error;
use crate::explore::Exploration;
use crate::observer::Observer;
use crate::options::{Dependence, Options, Symmetry};
use crate::plan::Plan;
use crate::predicate::{self, Predicate};
use crate::setup::Setup;
use crate::symmetry;
use selvedge_base::{StmtId, StopFlag};
use selvedge_explore::{Budget, Control};
use selvedge_ir::Module;
use selvedge_model::Property;
use selvedge_vm::{Identical, Program, Vm};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A program, what is asked of it, and who may stop the work.
pub(crate) struct Job<'a> {
    pub(crate) options: &'a Options,
    pub(crate) setup: &'a Setup,
    pub(crate) module: &'a Module,
    pub(crate) observer: &'a dyn Observer,
    /// Stops all explorations, and counts what they do.
    pub(crate) control: &'a Arc<Control>,
    /// Stops the first one alone, in the midst of a step.
    pub(crate) first: StopFlag,
    /// What checkpoints belong to, if some are wanted.
    belongs: Option<Belongs>,
    /// Where the first exploration begins, until it does.
    from: Mutex<Option<Checkpoint>>,
    /// What is known of identical threads, once it was asked for; or why nothing is.
    identical: OnceLock<Result<Identical, String>>,
    /// Statements that explorations under predicate dependence have shown to matter.
    essential: Mutex<BTreeSet<StmtId>>,
    /// The program of the first plan, until it is explored.
    made: Mutex<Option<(Plan, Setup, Arc<Program>)>>,
}

impl<'a> Job<'a> {
    /// Nothing is explored yet.
    pub(crate) fn new(
        options: &'a Options,
        (setup, module): (&'a Setup, &'a Module),
        (observer, control): (&'a dyn Observer, &'a Arc<Control>),
        (belongs, from): (Option<Belongs>, Option<Checkpoint>),
    ) -> Job<'a> {
        Job {
            options,
            setup,
            module,
            observer,
            control,
            first: setup.vm.stop.part(),
            belongs,
            from: Mutex::new(from),
            identical: OnceLock::new(),
            essential: Mutex::default(),
            made: Mutex::new(None),
        }
    }

    /// Makes the program of the plan to begin with.
    pub(crate) fn begin(&self, plan: Plan) -> Result<Arc<Program>, Error> {
        let (setup, program) = self.program(plan, &self.first)?;
        self.observer
            .knows(report_before(self.options, plan, &setup, Some(&program)));
        let mut made = lock(&self.made);
        *made = Some((plan, setup, Arc::clone(&program)));
        Ok(program)
    }

    /// The program for the machines of a plan, with the options that it was made with.
    fn program(&self, plan: Plan, stop: &StopFlag) -> Result<(Setup, Arc<Program>), Error> {
        let mut made = lock(&self.made);
        if let Some((_, setup, program)) = made.take_if(|(made, ..)| *made == plan) {
            return Ok((setup, program));
        }
        drop(made);
        let mut setup = self.setup.clone();
        setup.vm.stop = stop.clone();
        let asked = |property| self.options.properties.contains(&property);
        setup.vm.check_overflow = asked(Property::Overflow);
        setup.vm.error_calls = asked(Property::ErrorCall);
        setup.vm.leaks = asked(Property::Leak) || asked(Property::Cleanup);
        setup.vm.coverage = self.options.coverage || self.options.test_cases.is_some();
        setup.vm.visibility = plan.visibility;
        setup.vm.quarantine = plan.quarantine;
        setup.vm.fingerprints = plan.strategy.matches_states();
        setup.vm.record_accesses = self.properties(plan).contains(&Property::DataRace);
        let fails = |error: selvedge_vm::Error| match stop.is_set() {
            // What was interrupted says nothing about the program.
            true => Error::Stopped,
            false => Error::Program(error.to_string()),
        };
        if plan.dependence == Dependence::Predicate {
            setup.predicate = Some(Predicate::of(self.options, lock(&self.essential).clone()));
            setup.vm = predicate::machine_options(&setup, self.module).map_err(Error::NoSlice)?;
        }
        let program = Program::new(self.module.clone(), setup.vm.clone()).map_err(fails)?;
        Vm::new(Arc::clone(&program)).map_err(fails)?;
        if plan.turns {
            let mut first = false;
            let identical = self.identical.get_or_init(|| {
                first = true;
                symmetry::facts(self.options, self.module)
            });
            if let Ok(identical) = identical {
                program.learn_turns(identical).map_err(fails)?;
            }
            if first && self.options.symmetry == Symmetry::On && !program.takes_turns() {
                self.observer.note(&symmetry::unused(identical, &program));
            }
        }
        Ok((setup, program))
    }

    /// What an exploration looks for: fewer scheduling points are enough only if there is no race,
    /// so races are looked for even if nobody asks.
    fn properties(&self, plan: Plan) -> BTreeSet<Property> {
        let mut properties = self.options.properties.clone();
        if plan.visibility == selvedge_vm::Visibility::Sync && !plan.samples() {
            properties.insert(Property::DataRace);
        }
        properties
    }

    /// Explores by a plan, and by those that follow from it, to the one whose result stands.
    pub(crate) fn explore_on(&self, mut plan: Plan) -> Result<Explored, Error> {
        let mut rounds = 0;
        loop {
            let explored = self.explore(plan, None, &self.first)?;
            if plan.dependence == Dependence::Predicate {
                if !self.learns(&explored) {
                    return Ok(explored);
                }
                rounds += 1;
                if rounds > predicate::ROUNDS {
                    self.observer.note(predicate::GIVEN_UP);
                    plan = Plan::conflict(self.options);
                }
                self.restart()?;
                continue;
            }
            let Some(next) = plan.after(self.options, &explored.report) else {
                return Ok(explored);
            };
            self.observer.note(GOING_ON);
            plan = next;
            self.restart()?;
        }
    }

    /// Whether an exploration under predicate dependence has shown that more matters; then the next
    /// one is made with that.
    pub(crate) fn learns(&self, explored: &Explored) -> bool {
        let more = predicate::found_essential(&explored.report, &explored.program.options);
        let mut known = lock(&self.essential);
        let learns = !known.is_superset(&more);
        known.extend(more);
        learns
    }

    /// One exploration by a plan; by the next one, if dead memory had to be used again and the plan
    /// does not want that.
    pub(crate) fn explore(
        &self,
        mut plan: Plan,
        budget: Option<&Arc<Budget>>,
        stop: &StopFlag,
    ) -> Result<Explored, Error> {
        loop {
            let (setup, program) = self.program(plan, stop)?;
            let from = lock(&self.from).take();
            let exploration = Exploration {
                options: self.options,
                plan,
                setup: &setup,
                program: &program,
                observer: self.observer,
                control: self.control,
                budget,
                belongs: self.belongs.as_ref(),
                from: from.as_ref(),
            };
            let explored = exploration.run(self.properties(plan));
            let explored = explored.map_err(|misfit| Error::Program(misfit.to_string()))?;
            if let Some((report, part)) = explored {
                return Ok(Explored {
                    plan,
                    setup,
                    program,
                    report,
                    part,
                });
            }
            let Some(next) = plan.after_reuse() else {
                let what = "an exploration that stands was given up";
                return Err(Error::Internal(what.to_owned()));
            };
            plan = next;
            self.restart()?;
        }
    }

    fn restart(&self) -> Result<(), Error> {
        match &self.options.test_cases {
            None => Ok(()),
            Some(cases) => cases
                .restart()
                .map_err(|error| Error::Output(format!("the test cases: {error}"))),
        }
    }
}

/// What a thread that panicked left is whole: nothing is done while the lock is held.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is said before all accesses become visible.
pub(crate) const GOING_ON: &str =
    "note: the program has data races, which were not asked about: going on with --visibility memory";
