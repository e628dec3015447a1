//! A program with its options, and its exploration by one plan after another until a result is
//! final.

use crate::apart::Elsewhere;
use crate::assumed::{Failed, Made, Planned};
use crate::blocks;
use crate::checkpoint::{Belongs, Checkpoint};
use crate::conclude::report_before;
use crate::error::Error;
use crate::explore::Exploration;
use crate::explored::Explored;
use crate::observer::Observer;
use crate::options::{Dependence, Options, Strategy, Symmetry};
use crate::plan::Plan;
use crate::predicate;
use crate::setup::Setup;
use crate::symmetry;
use selvedge_analysis::PrivateLocals;
use selvedge_base::{StmtId, StopFlag};
use selvedge_explore::reads::Uncovered;
use selvedge_explore::{Attempt, Budget, Control, until_it_holds};
use selvedge_ir::Module;
use selvedge_model::Property;
use selvedge_vm::{Blocks, Identical, Program, Vm};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A program, its options, and the controls that can stop the work.
pub(crate) struct Job<'a> {
    pub(crate) options: &'a Options,
    pub(crate) setup: &'a Setup,
    pub(crate) module: &'a Arc<Module>,
    pub(crate) observer: &'a dyn Observer,
    /// Stops all explorations, and gets their counts.
    pub(crate) control: &'a Arc<Control>,
    /// Stops the first exploration alone, within a step.
    pub(crate) first: StopFlag,
    /// Where explorations are made, if not here.
    pub(crate) elsewhere: Option<&'a dyn Elsewhere>,
    /// What checkpoints belong to, if they are requested.
    belongs: Option<Belongs>,
    /// The checkpoint from which the first exploration starts, until it has started.
    from: Mutex<Option<Checkpoint>>,
    /// What is known of identical threads once this is asked, or why nothing is known.
    identical: OnceLock<Result<Identical, String>>,
    /// Statements that explorations under predicate dependence have shown to be essential.
    essential: Mutex<BTreeSet<StmtId>>,
    /// The classes of the program's atomic blocks, if there are several, once somebody asks.
    blocks: OnceLock<Option<Arc<Blocks>>>,
    /// Which locals are private, once somebody asks.
    private_locals: OnceLock<Arc<PrivateLocals>>,
    /// An atomic block has touched what it was not expected to touch.
    one_block_class: AtomicBool,
    /// The program of the first plan, until it is explored.
    made: Mutex<Option<(Plan, Setup, Arc<Program>)>>,
}

impl<'a> Job<'a> {
    /// A job of which nothing is explored yet.
    pub(crate) fn new(
        options: &'a Options,
        (setup, module): (&'a Setup, &'a Arc<Module>),
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
            blocks: OnceLock::new(),
            private_locals: OnceLock::new(),
            one_block_class: AtomicBool::new(from.as_ref().is_some_and(|from| from.carried.one_block_class)),
            elsewhere: None,
            belongs,
            from: Mutex::new(from),
            identical: OnceLock::new(),
            essential: Mutex::default(),
            made: Mutex::new(None),
        }
    }

    /// Makes the program of the first plan.
    pub(crate) fn begin(&self, plan: Plan) -> Result<Arc<Program>, Error> {
        let (setup, program) = self.program(plan, &self.first)?;
        self.observer
            .knows(report_before(self.options, plan, &setup, Some(&program)));
        let mut made = lock(&self.made);
        *made = Some((plan, setup, Arc::clone(&program)));
        Ok(program)
    }

    /// Explorations under predicate dependence take these statements for essential.
    pub(crate) fn take_for_essential(&self, stmts: &BTreeSet<StmtId>) {
        lock(&self.essential).extend(stmts);
    }

    /// The program for the machines of a plan, and the options with which it was made.
    pub(crate) fn program(&self, plan: Plan, stop: &StopFlag) -> Result<(Setup, Arc<Program>), Error> {
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
        // What is of no use once memory is reused needs no slots that wait for that.
        (setup.vm.quarantine, setup.vm.many_dead) = match plan.keeps_dead {
            true => (None, plan.quarantine),
            false => (plan.quarantine, None),
        };
        setup.vm.fingerprints = plan.strategy.matches_states() || setup.vm.requests.is_some() || setup.epochs;
        let races = self.properties(plan).contains(&Property::DataRace);
        setup.vm.sees_races = races;
        setup.vm.record_dead_accesses = asked(Property::DataRace) && !asked(Property::Deref);
        let reads = plan.strategy == Strategy::ReadsFrom;
        setup.vm.record_accesses = races || reads || plan.prunes_writes(self.options) || plan.is_published();
        let fails = |error: selvedge_vm::Error| match stop.is_set() {
            // If it was interrupted, the error says nothing about the program.
            true => Error::Stopped,
            false => Error::Program(error.to_string()),
        };
        let private = || Arc::new(PrivateLocals::of(self.module));
        setup.vm.private_locals = Some(self.private_locals.get_or_init(private).clone());
        let classes = || blocks::classes(self.module, &setup.vm.entry);
        let classes = self.blocks.get_or_init(classes).clone();
        // Only where there are classes it makes a difference that they are not used.
        setup.one_block_class |= classes.is_some() && self.one_block_class.load(Ordering::Relaxed);
        if !setup.one_block_class {
            setup.vm.blocks = classes;
        }
        if plan.dependence == Dependence::Predicate {
            setup.predicate = Some(predicate::purpose(
                self.options,
                plan,
                lock(&self.essential).clone(),
            ));
            setup.vm = predicate::machine_options(&setup, self.module).map_err(Error::NoSlice)?;
        }
        let program = Program::new(Arc::clone(self.module), setup.vm.clone()).map_err(fails)?;
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

    /// The properties for an exploration. Fewer scheduling points are sufficient only if there is
    /// no race, so races are looked for even if they are not requested.
    pub(crate) fn properties(&self, plan: Plan) -> BTreeSet<Property> {
        let mut properties = self.options.properties.clone();
        if !plan.visibility.includes_plain() && !plan.samples() {
            properties.insert(Property::DataRace);
        }
        properties
    }

    /// Explores by a plan, or by the plans that follow if its assumptions fail.
    pub(crate) fn explore_on(&self, plan: Plan) -> Result<Explored, Error> {
        until_it_holds(Planned { plan, rounds: 0 }, |planned, again| {
            if again {
                self.restart()?;
            }
            let explored = self.explore(planned.plan, None, &self.first)?;
            let Some(failed) = self.failed(&explored) else {
                return Ok(Attempt::Holds(explored));
            };
            self.tell(failed);
            self.next_plan(planned, failed).map(Attempt::fails)
        })
    }

    /// True if an exploration under predicate dependence has shown that more statements are
    /// essential. The next one includes these.
    pub(crate) fn learns(&self, explored: &Explored) -> bool {
        let more = predicate::found_essential(&explored.report, &explored.program.options);
        let mut known = lock(&self.essential);
        let learns = !known.is_superset(&more);
        known.extend(more);
        learns
    }

    /// One exploration by a plan. It begins again as long as assumptions about the machines fail.
    pub(crate) fn explore(
        &self,
        plan: Plan,
        budget: Option<&Arc<Budget>>,
        stop: &StopFlag,
    ) -> Result<Explored, Error> {
        let mut from = None;
        let first = self.make(plan, stop)?;
        until_it_holds(first, |made, again| {
            if again {
                self.restart()?;
                from = None;
            } else {
                from = lock(&self.from).take();
            }
            let exploration = Exploration {
                options: self.options,
                plan: made.plan,
                setup: &made.setup,
                program: &made.program,
                observer: self.observer,
                control: self.control,
                budget,
                elsewhere: self.elsewhere.map(|elsewhere| (elsewhere, &**self.module)),
                belongs: self.belongs.as_ref(),
                from: from.as_ref(),
            };
            let explored = exploration.run(self.properties(made.plan));
            match explored? {
                Ok((report, estimate)) => Ok(Attempt::Holds(Explored {
                    plan: made.plan,
                    setup: made.setup,
                    program: made.program,
                    report,
                    estimate,
                })),
                Err(failed) => {
                    let alone = budget.is_none();
                    // Beside others, another search goes on.
                    if alone || !matches!(failed, Failed::PointsTo | Failed::Covered(_)) {
                        self.tell(failed);
                    }
                    self.make_without(made, failed, (stop, alone)).map(Attempt::fails)
                }
            }
        })
    }

    /// A plan with a program for it.
    fn make(&self, plan: Plan, stop: &StopFlag) -> Result<Made, Error> {
        let (setup, program) = self.program(plan, stop)?;
        Ok(Made { plan, setup, program })
    }

    /// What is explored after an assumption about the machines has failed. `alone`: no other search
    /// explores the program, too.
    fn make_without(
        &self,
        made: Made,
        failed: Failed,
        (stop, alone): (&StopFlag, bool),
    ) -> Result<Made, Error> {
        match failed {
            // Without awaits, `reads-from` would go round such loops until its limit.
            Failed::Awaits if made.plan.strategy == Strategy::ReadsFrom => {
                let failed = Failed::Covered(Uncovered::Loops);
                if alone {
                    self.tell(failed);
                }
                self.make_without(made, failed, (stop, alone))
            }
            Failed::Covered(what) if !alone => Err(Error::Uncovered(what.text())),
            Failed::Covered(_) => match made.plan.after_uncovered(self.options) {
                Some(plan) => self.make(plan, stop),
                None => Err(Error::Internal(format!("{failed:?} of another strategy"))),
            },
            // The program has recorded it.
            Failed::Identical
            | Failed::Awaits
            | Failed::RelativeClocks
            | Failed::Fused
            | Failed::Confined
            | Failed::Counted => Ok(made),
            Failed::BlockClasses if made.setup.vm.blocks.is_none() => {
                let what = "an atomic block left its class where there is only one";
                Err(Error::Internal(what.to_owned()))
            }
            Failed::BlockClasses => {
                self.one_block_class.store(true, Ordering::Relaxed);
                self.make(made.plan, stop)
            }
            // Beside others, another search does the same.
            Failed::PointsTo if alone => self.make(Plan::conflict(self.options), stop),
            Failed::PointsTo => Err(Error::NoSlice(predicate::HIDDEN.to_owned())),
            Failed::DeadMemory => match made.plan.after_reuse() {
                Some(plan) => self.make(plan, stop),
                None => Err(Error::Internal("a plan reuses memory that it keeps".to_owned())),
            },
            Failed::RaceFree | Failed::NoPlainWait | Failed::Slice | Failed::SameEvents => Err(
                Error::Internal(format!("{failed:?} is no assumption about machines")),
            ),
        }
    }

    /// Tells the user that an assumption has failed.
    pub(crate) fn tell(&self, failed: Failed) {
        if let Some(note) = failed.note() {
            self.observer.note(&note);
        }
    }

    /// Nothing that an earlier attempt has written stays.
    fn restart(&self) -> Result<(), Error> {
        match &self.options.test_cases {
            None => Ok(()),
            Some(cases) => cases
                .restart()
                .map_err(|error| Error::Output(format!("the test cases: {error}"))),
        }
    }
}

/// Locks a mutex. Its data are consistent even if a thread panicked, because nothing can fail while
/// the lock is held.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
