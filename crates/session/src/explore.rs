//! One exploration: a strategy, on machines of the right kind.

use crate::checkpoint::{Belongs, Checkpoint, Keeping, Phase};
use crate::emit::{Recorder, TestCases};
use crate::machines::{canonical_machine, fusing_machine, stepping_machine};
use crate::observer::Observer;
use crate::options::{Dependence, Options, Strategy};
use crate::plan::Plan;
use crate::setup::Setup;
use crate::symmetry;
use crate::unfolding;
use selvedge_detect::RecallingRaces;
use selvedge_explore::kept::{Kept, Misfit};
use selvedge_explore::{Budget, Config, Control, Report, Stop};
use selvedge_model::{Detector, Event, Fault, LimitKind, Property, StopReason};
use selvedge_vm::{Program, Recalling, Vm};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// An exploration to make.
pub(crate) struct Exploration<'a> {
    pub(crate) options: &'a Options,
    pub(crate) plan: Plan,
    pub(crate) setup: &'a Setup,
    pub(crate) program: &'a Arc<Program>,
    /// Gets the findings, in case the run has to be ended.
    pub(crate) observer: &'a dyn Observer,
    /// Stops the exploration, and gets its counts.
    pub(crate) control: &'a Arc<Control>,
    /// The work that it may do before others get their turn, if there are others.
    pub(crate) budget: Option<&'a Arc<Budget>>,
    /// What checkpoints belong to, if they are requested.
    pub(crate) belongs: Option<&'a Belongs>,
    /// The checkpoint from which to continue.
    pub(crate) from: Option<&'a Checkpoint>,
}

/// The explored part of a search tree, as an estimate.
#[derive(Clone, Copy)]
pub(crate) struct Estimate {
    /// From 0 to 1.
    pub(crate) part: f64,
    /// If the exploration is complete: the mean error of the estimates during it, and their number.
    pub(crate) error: Option<(f64, usize)>,
}

impl Estimate {
    fn of(control: &Control) -> Estimate {
        Estimate {
            part: control.progress().part,
            error: control.estimate_error(),
        }
    }
}

/// The cost of an event in an exploration of a portfolio, in units of a budget. A unit is about the
/// time of one instruction of the program.
fn cost(strategy: Strategy) -> u32 {
    match strategy {
        Strategy::Unfold => 2000,
        Strategy::Stateful => 500,
        Strategy::Dpor => 100,
        Strategy::Random | Strategy::Pct => 300,
    }
}

/// The number of cores that a strategy may use.
pub fn jobs(options: &Options) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    options.jobs.unwrap_or_else(all)
}

impl Exploration<'_> {
    /// The report of an exploration for these properties, and the explored part of the search tree
    /// as an estimate. `None` if a dead object's memory was reused and the plan does not allow
    /// this. The report is of no use if an atomic block has left its class
    /// ([`Program::has_strayed`]).
    ///
    /// # Errors
    /// If the checkpoint does not fit.
    pub(crate) fn run(&self, properties: BTreeSet<Property>) -> Result<Option<(Report, Estimate)>, Misfit> {
        let config = self.config(properties);
        self.observer.finds(self.program, &config.findings);
        if self.plan.strategy.matches_states() {
            return self.match_states(&config);
        }
        if let Some(from) = self.from {
            self.program.carry_on(&from.carried);
        }
        self.interleave(&config).map(Some)
    }

    /// Explores, saving states if requested, and starting from the checkpoint if it belongs to this
    /// phase.
    fn kept<T>(&self, stepping: bool, explore: impl FnOnce(Kept<'_>) -> T) -> T {
        let phase = Phase::of(self.plan, stepping);
        let from = self
            .from
            .filter(|from| from.phase == phase)
            .map(|from| &from.state);
        let checkpoints = &self.options.checkpoints;
        match (&checkpoints.file, self.belongs) {
            (Some(file), Some(belongs)) => {
                let place = (file.as_path(), checkpoints.interval);
                let keeping = Keeping::new(place, (belongs, phase), self.program, self.observer);
                explore(Kept {
                    from,
                    keeper: Some(&keeping),
                })
            }
            _ => explore(Kept { from, keeper: None }),
        }
    }

    fn config(&self, properties: BTreeSet<Property>) -> Config {
        let options = self.options;
        let mut config = Config {
            properties,
            stop: options.stop,
            sleep_sets: options.sleep_sets,
            max_executions: options.max_executions,
            jobs: jobs(options),
            seed: options.seed,
            partial: options.partial,
            order: self.plan.search,
            cutoffs: options.cutoffs,
            // Which thread's freed memory is reused depends on more than synchronisation.
            digests: self.plan.quarantine.is_some() && !self.plan.keeps_dead,
            dump: options.dump_unfolding.then_some(unfolding::MOST_EVENTS),
            only_similar: self.plan.dependence == Dependence::Predicate,
            ..Config::default()
        };
        if let Some(events) = options.max_events {
            config.max_events = events;
        }
        if options.test_cases.is_some() || self.budget.is_some() {
            config.jobs = 1;
        }
        // Sampling beside searches continues as long as they do.
        if self.budget.is_some() && self.plan.samples() {
            config.max_executions = Some(u64::MAX);
            config.deepens = true;
        }
        config
    }

    /// The control for one run of a strategy.
    fn control(&self) -> Control {
        let control = match self.budget {
            None => Control::within(self.control),
            Some(budget) => Control::paced(self.control, budget, cost(self.plan.strategy)),
        };
        control.named(self.plan.strategy.word())
    }

    /// Explores with machines whose events do not depend on independent events.
    fn match_states(&self, config: &Config) -> Result<Option<(Report, Estimate)>, Misfit> {
        let control = self.control();
        let (gone, work) = (AtomicBool::new(false), Work::default());
        let moves_left = self.plan.strategy == Strategy::Stateful && !self.program.is_spoiled();
        let turns = self.takes_turns();
        let awaits = self.plan.awaits && !self.program.refuses_awaits();
        let differs = || turns && self.program.told_apart() || awaits && self.program.refuses_awaits();
        let reused = |vm: &Vm| {
            work.pay(&control, || vm.work());
            let spoiled = moves_left && vm.is_spoiled();
            let begins_anew = spoiled || self.program.has_strayed() || differs();
            self.plan.keeps_dead && vm.has_reused() || begins_anew
        };
        let guard = || StopsWhen {
            control: &control,
            happened: &gone,
            what: &reused as &Asked,
        };
        // Cutoffs end loops around spurious wakeups and failures at once.
        let canonical = || {
            let (vm, detectors) = canonical_machine(self.program);
            let vm = if moves_left { vm.with_left_movers() } else { vm };
            let vm = if turns { vm.with_turns() } else { vm };
            let vm = if awaits { vm.with_awaits() } else { vm };
            let vm = match self.plan.futures {
                Some(futures) => vm.with_futures(futures),
                None => vm,
            };
            (if self.plan.cuts_off() { vm } else { vm.bounded() }, detectors)
        };
        let explored = match &self.options.test_cases {
            None => {
                let make = || {
                    let (vm, detectors) = canonical();
                    (vm, (detectors, guard()))
                };
                self.explore(&make, config, &control)
            }
            Some(cases) => {
                let make = || {
                    let (vm, detectors) = canonical();
                    (vm, ((detectors, guard()), self.recorder(cases, config)))
                };
                self.explore(&make, config, &control)
            }
        };
        let explored = explored?;
        if (gone.into_inner() || differs()) && !self.program.has_strayed() {
            // Without left movers nothing can be spoiled any more, and without turns no thread can
            // be told apart.
            let again = moves_left && self.program.is_spoiled() || differs();
            if turns && self.program.told_apart() {
                self.observer.note(symmetry::TOLD_APART);
            }
            return if again {
                self.match_states(config)
            } else {
                Ok(None)
            };
        }
        Ok(Some(explored))
    }

    /// Whether identical threads take turns. False once the program has told them apart.
    fn takes_turns(&self) -> bool {
        self.plan.turns && self.program.takes_turns()
    }

    /// Explores executions step by step, with machines that make few events as long as this loses
    /// nothing.
    fn interleave(&self, config: &Config) -> Result<(Report, Estimate), Misfit> {
        let program = self.program;
        // Without a recorder the types contain none either, so exploration has no cost for it.
        if let Some(cases) = &self.options.test_cases {
            let make = || {
                let (vm, detectors) = stepping_machine(program);
                (vm, (detectors, self.recorder(cases, config)))
            };
            return self.explore(&make, config, &self.control());
        }
        if self.plan.fuses(self.options) && !self.program.is_spoiled() {
            let control = self.control();
            let (spoiled, work) = (AtomicBool::new(false), Work::default());
            let turns = self.takes_turns();
            let is_spoiled = |machine: &Recalling| {
                work.pay(&control, || machine.work());
                let told_apart = turns && program.told_apart();
                machine.is_spoiled() || program.has_strayed() || told_apart
            };
            let make = || {
                let (vm, (races, deadlocks)) = fusing_machine(program);
                let vm = if turns { vm.with_turns() } else { vm };
                let guard = StopsWhen {
                    control: &control,
                    happened: &spoiled,
                    what: &is_spoiled,
                };
                let vm = if self.plan.recalls(self.options) {
                    Recalling::new(vm)
                } else {
                    Recalling::executing(vm)
                };
                let races = races.map(RecallingRaces::of);
                (vm, ((races, deadlocks), guard))
            };
            let mut report = self.kept(false, |kept| {
                selvedge_explore::dpor::explore_kept(&make, config, &control, kept)
            })?;
            settle(&mut report, &control);
            if turns && program.told_apart() && !program.has_strayed() {
                self.observer.note(symmetry::TOLD_APART);
                return self.interleave(config);
            }
            if !program.is_spoiled() || program.has_strayed() {
                return Ok((report, Estimate::of(&control)));
            }
        }
        let (control, ended, work) = (self.control(), AtomicBool::new(false), Work::default());
        if self.budget.is_none() && program.options.blocks.is_none() {
            return self.explore(&|| stepping_machine(program), config, &control);
        }
        let pays = |vm: &Vm| {
            work.pay(&control, || vm.work());
            program.has_strayed()
        };
        let make = || {
            let (vm, detectors) = stepping_machine(program);
            let guard = StopsWhen {
                control: &control,
                happened: &ended,
                what: &pays as &Asked,
            };
            (vm, (detectors, guard))
        };
        self.explore(&make, config, &control)
    }

    fn recorder(&self, cases: &TestCases, config: &Config) -> Recorder {
        let ends_at = match config.stop {
            Stop::First => config.properties.clone(),
            Stop::Never => BTreeSet::new(),
        };
        Recorder::new(cases, self.setup, ends_at)
    }

    fn explore<D: Detector<Vm>>(
        &self,
        make: &(impl Fn() -> (Vm, D) + Sync),
        config: &Config,
        control: &Control,
    ) -> Result<(Report, Estimate), Misfit> {
        use selvedge_explore::{dpor, pct, random, stateful, unfold};
        let stepping = true;
        let mut report = match self.plan.strategy {
            Strategy::Dpor => self.kept(stepping, |kept| dpor::explore_kept(make, config, control, kept))?,
            Strategy::Unfold => unfold::explore(make, config, control),
            Strategy::Stateful => stateful::explore(make, config, control),
            Strategy::Random => {
                self.kept(stepping, |kept| random::explore_kept(make, config, control, kept))?
            }
            Strategy::Pct => self.kept(stepping, |kept| pct::explore_kept(make, config, control, kept))?,
        };
        settle(&mut report, control);
        Ok((report, Estimate::of(control)))
    }
}

/// A question to a machine after each event.
type Asked<'a> = dyn Fn(&Vm) -> bool + Sync + 'a;

/// The work of machines for which the budget was charged.
#[derive(Default)]
struct Work(AtomicU64);

impl Work {
    /// Charges the budget for the work since the last time, if there is a budget.
    #[inline]
    fn pay(&self, control: &Control, executed: impl FnOnce() -> u64) {
        let Some(budget) = control.budget() else { return };
        let executed = executed();
        let paid = self.0.load(Ordering::Relaxed);
        if executed != paid {
            self.0.store(executed, Ordering::Relaxed);
            budget.spend(u32::try_from(executed.saturating_sub(paid)).unwrap_or(u32::MAX));
        }
    }
}

/// Machines leave their paths when the run is told to stop. The reason is known here. An
/// exploration in which this has happened is not complete, even if it had nothing else left to do.
pub(crate) fn settle(report: &mut Report, control: &Control) {
    let all = report.limits.len();
    report.limits.retain(|limit| limit.kind != LimitKind::Interrupted);
    if report.limits.len() < all && report.stop == StopReason::Complete {
        report.stop = StopReason::Limit(control.limit());
    }
}

/// Ends an exploration as soon as it is known that it has to be repeated in another way.
struct StopsWhen<'a, F: ?Sized> {
    control: &'a Control,
    happened: &'a AtomicBool,
    what: &'a F,
}

impl<M, F: Fn(&M) -> bool + ?Sized> Detector<M> for StopsWhen<'_, F> {
    type Mark = ();
    fn mark(&mut self) {}
    fn undo(&mut self, (): ()) {}
    #[inline]
    fn event(&mut self, machine: &M, _: &Event, _: &mut Vec<Fault>) {
        if (self.what)(machine) {
            self.happened.store(true, Ordering::Relaxed);
            self.control
                .request_stop(LimitKind::Interrupted, "to be explored in another way");
        }
    }
    fn end(&mut self, _: &M, _: &mut Vec<Fault>) {}
}
