//! One exploration: a strategy, on machines of the right kind.

use crate::apart::{Elsewhere, Explored, Phase as Divided, Terms};
use crate::assumed::{Assumed, Failed};
use crate::checkpoint::{Belongs, Checkpoint, Keeping, Phase};
use crate::emit::{Recorder, TestCases};
use crate::error::Error;
use crate::explored::Estimate;
use crate::machines::{canonical_machine, fusing_machine, reading_machine, stepping_machine};
use crate::observer::Observer;
use crate::options::{Dependence, Options, Strategy};
use crate::plan::Plan;
use crate::predicate;
use crate::setup::Setup;
use crate::unfolding;
use selvedge_detect::{Detectors, RecallingRaces};
use selvedge_explore::kept::{Common, Kept, Misfit, Parts};
use selvedge_explore::reads::Uncovered;
use selvedge_explore::{Budget, Config, Control, Report, Stop, dpor, pct, random, reads, stateful, unfold};
use selvedge_ir::Module;
use selvedge_model::{Detector, Event, Fault, LimitKind, Machine, Property, Published, StopReason};
use selvedge_vm::{Program, Recalling, Vm};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says which assumption has failed, if one has.
pub(crate) type Failing<'a> = dyn Fn() -> Option<Failed> + Sync + 'a;

/// Explores parts.
pub(crate) type Exploring<'a> = dyn FnMut(&dyn Parts) + 'a;

/// The result of an exploration, or the assumption that has failed.
pub(crate) type Attempted = Result<(Report, Estimate), Failed>;

/// What looks at the events of an exploration. A part that is not requested is switched off: with a
/// type of its own for each combination, all strategies would be compiled as many times.
type Detecting<'w> = ((Detectors, Guard<'w>), Option<Recorder>);

/// Makes the machines of an exploration.
type Make<'m, 'w> = &'m (dyn Fn() -> (Vm, Detecting<'w>) + Sync + 'm);

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
    /// Where it is made, if not here; and the program's module.
    pub(crate) elsewhere: Option<(&'a dyn Elsewhere, &'a Module)>,
    /// What checkpoints belong to, if they are requested.
    pub(crate) belongs: Option<&'a Belongs>,
    /// The checkpoint from which to continue.
    pub(crate) from: Option<&'a Checkpoint>,
}

/// The cost of an event in an exploration of a portfolio, in units of a budget. A unit is about the
/// time of one instruction of the program.
fn cost(strategy: Strategy) -> u32 {
    match strategy {
        Strategy::Unfold => 2000,
        Strategy::Stateful | Strategy::ReadsFrom => 500,
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
    /// as an estimate; or the assumption that has failed, and then nothing else is of use.
    ///
    /// # Errors
    /// If the checkpoint does not fit, or those of what explores elsewhere.
    pub(crate) fn run(&self, properties: BTreeSet<Property>) -> Result<Attempted, Error> {
        let config = self.config(properties);
        self.observer.finds(self.program, &config.findings);
        if let Some(from) = self.from {
            self.program.carry_on(&from.carried);
        }
        let watch = self.watch();
        if let Some((elsewhere, module)) = self.elsewhere {
            let phase = Divided {
                terms: Terms::of(self.options, (self.plan, self.setup), (self.program, module))?,
                module,
                peeks: config.peek && config.sleep_sets,
                control: &watch.control,
                findings: &config.findings,
                program: self.program,
                before: self.program.carried(),
            };
            return Ok(match elsewhere.explore(&phase)? {
                Explored::Report(report) => Ok((*report, Estimate::of(&watch.control))),
                Explored::Failed(failure) => Err(failure.0),
            });
        }
        let explored = if self.plan.strategy == Strategy::ReadsFrom {
            match self.read_from(&config, &watch) {
                Ok(explored) => explored,
                Err(failed) => return Ok(Err(failed)),
            }
        } else if self.plan.strategy.matches_states() {
            self.match_states(&config, &watch)
        } else if watch.assumed.fused {
            self.fuse(&config, &watch)?
        } else {
            self.interleave(&config, &watch)?
        };
        Ok(match watch.failed() {
            Some(failed) => Err(failed),
            None => Ok(explored),
        })
    }

    fn watch(&self) -> Watch<'_> {
        Watch {
            program: self.program,
            assumed: Assumed::of(self.plan, self.options, self.program),
            control: self.control(),
            many_dead: AtomicBool::new(false),
        }
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
            peek: self.plan.peeks(options),
            max_executions: options.max_executions,
            jobs: jobs(options),
            seed: options.seed,
            partial: options.partial,
            order: self.plan.search,
            cutoffs: options.cutoffs,
            // Which thread's freed memory is reused depends on more than synchronisation.
            digests: self.plan.quarantine.is_some() && !self.plan.keeps_dead,
            counts_choices: options.counts_choices,
            necessary_choices: options.necessary_choices,
            dump: options.dump_unfolding.then_some(unfolding::MOST_EVENTS),
            only_similar: self.plan.dependence == Dependence::Predicate,
            // Where plain accesses are no actions, a race would show that too little is explored.
            values_only: self.plan.visibility.includes_plain()
                && !self.options.properties.contains(&Property::DataRace),
            ..Config::default()
        };
        if let Some(events) = options.max_events {
            config.max_events = events;
        }
        if options.test_cases.is_some() || self.budget.is_some() || self.plan.is_published() {
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

    /// The detectors of a machine, and what else looks at its events.
    fn detecting<'w>(&self, detectors: Detectors, config: &Config, watch: &'w Watch<'_>) -> Detecting<'w> {
        let cases = self.options.test_cases.as_ref();
        let recorder = cases.map(|cases| self.recorder(cases, config));
        ((detectors, watch.guard()), recorder)
    }

    /// Explores with machines whose events do not depend on independent events.
    fn match_states(&self, config: &Config, watch: &Watch<'_>) -> (Report, Estimate) {
        let Assumed {
            turns,
            awaits,
            relative_clocks,
            fused,
            confined,
            ..
        } = watch.assumed;
        // Cutoffs end loops around spurious wakeups and failures at once.
        let canonical = || {
            let (vm, detectors) = canonical_machine(self.program);
            let vm = if fused { vm.with_left_movers() } else { vm };
            let vm = self.counting(vm);
            let vm = if confined.is_some() {
                vm.with_confined()
            } else {
                vm
            };
            let vm = if turns { vm.with_turns() } else { vm };
            let vm = if awaits { vm.with_awaits() } else { vm };
            let vm = match relative_clocks {
                true => vm.with_relative_clocks(),
                false => vm,
            };
            let vm = match self.plan.futures {
                Some(futures) => vm.with_futures(futures),
                None => vm,
            };
            (if self.plan.cuts_off() { vm } else { vm.bounded() }, detectors)
        };
        let make = || {
            let (vm, detectors) = canonical();
            (vm, self.detecting(detectors, config, watch))
        };
        let (make, control): (Make<'_, '_>, _) = (&make, &watch.control);
        let mut report = match self.plan.strategy {
            Strategy::Unfold => unfold::explore(&make, config, control),
            _ => stateful::explore(&make, config, control),
        };
        settle(&mut report, control);
        (report, Estimate::of(control))
    }

    /// Explores classes by reads-from.
    fn read_from(&self, config: &Config, watch: &Watch<'_>) -> Attempted {
        if self.program.options.leaks {
            return Err(Failed::Covered(Uncovered::LastValues));
        }
        let awaits = watch.assumed.awaits;
        let make = || {
            let (vm, detectors) = reading_machine(self.program);
            let vm = self.counting(vm);
            let vm = if awaits { vm.with_awaits() } else { vm };
            (vm.bounded(), (detectors, watch.guard()))
        };
        let report = reads::explore(&make, config, &watch.control);
        // What the machines have assumed comes first: the search may have met its failure.
        if let Some(failed) = watch.failed() {
            return Err(failed);
        }
        let mut report = report.map_err(|given_up| Failed::Covered(given_up.why))?;
        settle(&mut report, &watch.control);
        Ok((report, Estimate::of(&watch.control)))
    }

    /// A machine in which additions that nobody looks at are no read-modify-writes, if the plan
    /// says so.
    fn counting(&self, vm: Vm) -> Vm {
        match self.plan.additions {
            true => vm.with_counters(),
            false => vm,
        }
    }

    /// A machine that makes few events.
    fn fusing<'w>(&self, watch: &'w Watch<'_>) -> (Recalling, impl Detector<Recalling> + use<'w>) {
        let (vm, (races, deadlocks)) = fusing_machine(self.program);
        let vm = self.counting(vm);
        let vm = if watch.assumed.turns { vm.with_turns() } else { vm };
        let vm = match watch.assumed.awaits {
            true => vm.with_ordered_awaits(),
            false => vm,
        };
        let vm = if self.plan.recalls(self.options) {
            Recalling::new(vm)
        } else {
            Recalling::executing(vm)
        };
        let races = races.map(RecallingRaces::of);
        (vm, ((races, deadlocks), watch.guard()))
    }

    /// Explores parts that were divided elsewhere.
    pub(crate) fn explore_parts(
        &self,
        properties: BTreeSet<Property>,
        common: &Common,
        parts: &dyn Fn(&Failing<'_>, &mut Exploring<'_>),
    ) {
        let config = self.config(properties);
        let watch = self.watch();
        parts(&|| watch.failed(), &mut |parts| match watch.assumed.fused {
            true => dpor::explore_parts(self.fusing(&watch), &config, &watch.control, common, parts),
            false => {
                let (vm, detectors) = stepping_machine(self.program);
                let machine = (vm, (detectors, watch.guard()));
                dpor::explore_parts(machine, &config, &watch.control, common, parts);
            }
        });
    }

    /// A part of a sample, from a state or until one is kept; or the assumption that has failed.
    pub(crate) fn explore_sample(
        &self,
        properties: BTreeSet<Property>,
        kept: Kept<'_>,
    ) -> Result<Result<Report, Failed>, Misfit> {
        let config = self.config(properties);
        let watch = self.watch();
        let make = || {
            let (vm, detectors) = stepping_machine(self.program);
            let vm = self.counting(vm);
            (vm, ((detectors, watch.guard()), None))
        };
        let make: Make<'_, '_> = &make;
        let report = match self.plan.strategy {
            Strategy::Pct => pct::explore_kept(&make, &config, &watch.control, kept)?,
            _ => random::explore_kept(&make, &config, &watch.control, kept)?,
        };
        Ok(watch.failed().map_or(Ok(report), Err))
    }

    /// Explores executions step by step, with machines that make few events.
    fn fuse(&self, config: &Config, watch: &Watch<'_>) -> Result<(Report, Estimate), Misfit> {
        let make = || self.fusing(watch);
        let mut report = match self.plan.prunes_writes(self.options) {
            true => dpor::explore_observed(&make, config, &watch.control),
            false => self.kept(false, |kept| {
                dpor::explore_kept(&make, config, &watch.control, kept)
            })?,
        };
        settle(&mut report, &watch.control);
        Ok((report, Estimate::of(&watch.control)))
    }

    /// Explores executions step by step, with machines that show each visible action as an event.
    fn interleave(&self, config: &Config, watch: &Watch<'_>) -> Result<(Report, Estimate), Misfit> {
        let make = || {
            let (vm, detectors) = stepping_machine(self.program);
            let vm = match self.plan.strategy {
                Strategy::Random | Strategy::Pct => self.counting(vm),
                _ => vm,
            };
            (vm, self.detecting(detectors, config, watch))
        };
        let (make, control): (Make<'_, '_>, _) = (&make, &watch.control);
        let mut report = match self.plan.strategy {
            Strategy::Dpor if self.plan.is_published() => self.explore_published(make, config, control),
            Strategy::Random => self.kept(true, |kept| random::explore_kept(&make, config, control, kept))?,
            Strategy::Pct => self.kept(true, |kept| pct::explore_kept(&make, config, control, kept))?,
            Strategy::Dpor => self.kept(true, |kept| dpor::explore_kept(&make, config, control, kept))?,
            // These have machines of their own.
            Strategy::Unfold | Strategy::Stateful | Strategy::ReadsFrom => {
                return Err(Misfit("is of a strategy that keeps no state"));
            }
        };
        settle(&mut report, control);
        Ok((report, Estimate::of(control)))
    }

    /// Explores by the published rules of predicate dependence, again and again until executions
    /// show nothing that the slice lacks. (As printed, the slice grows within one exploration.)
    fn explore_published(&self, make: Make<'_, '_>, config: &Config, control: &Control) -> Report {
        let mut slice = predicate::published_slice(self.program, self.options);
        loop {
            let relation = Published::new(slice.clone(), self.plan.prunes_writes(self.options));
            let report = dpor::explore_with(&make, &relation, config, control);
            let inserted = relation.inserted();
            if report.stop != StopReason::Complete || inserted.is_empty() {
                return report;
            }
            slice.extend(inserted);
        }
    }

    fn recorder(&self, cases: &TestCases, config: &Config) -> Recorder {
        let ends_at = match config.stop {
            Stop::First => config.properties.clone(),
            Stop::Never => BTreeSet::new(),
        };
        Recorder::new(cases, self.setup, ends_at)
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

/// What an event costs for each pair of threads, in instructions of the program.
const PAIR: u64 = 4;
/// Up to this number of threads, pairs are not charged.
const FEW_THREADS: u64 = 8;

/// What is looked at after each event of all machines of an exploration: the work that they did,
/// and whether an assumption has failed.
struct Watch<'a> {
    program: &'a Program,
    assumed: Assumed,
    control: Control,
    /// True if a machine has had many dead objects.
    many_dead: AtomicBool,
}

impl Watch<'_> {
    fn failed(&self) -> Option<Failed> {
        self.assumed
            .failed(self.program, self.many_dead.load(Ordering::Relaxed))
    }

    fn guard(&self) -> Guard<'_> {
        Guard { watch: self, paid: 0 }
    }
}

/// A machine whose work is counted.
trait Works {
    /// The work of all steps so far.
    fn work(&self) -> u64;
    /// See [`Vm::has_many_dead`].
    fn has_many_dead(&self) -> bool;
}

impl Works for Vm {
    #[inline]
    fn work(&self) -> u64 {
        Vm::work(self)
    }
    #[inline]
    fn has_many_dead(&self) -> bool {
        Vm::has_many_dead(self)
    }
}

impl Works for Recalling {
    #[inline]
    fn work(&self) -> u64 {
        Recalling::work(self)
    }
    /// Nobody assumes anything about that where steps are recalled.
    #[inline]
    fn has_many_dead(&self) -> bool {
        false
    }
}

/// Ends an exploration as soon as an assumption has failed.
struct Guard<'a> {
    watch: &'a Watch<'a>,
    /// The work of its machine for which the budget was charged. An exploration may use several
    /// machines, and each has a guard of its own.
    paid: u64,
}

impl Guard<'_> {
    /// Charges the budget for the work of its machine since the last time, if there is a budget.
    #[inline]
    fn pay(&mut self, executed: impl FnOnce() -> u64) {
        let Some(budget) = self.watch.control.budget() else {
            return;
        };
        let executed = executed();
        if executed != self.paid {
            budget.spend(u32::try_from(executed.saturating_sub(self.paid)).unwrap_or(u32::MAX));
            self.paid = executed;
        }
    }
}

impl<M: Machine + Works> Detector<M> for Guard<'_> {
    type Mark = ();
    fn mark(&mut self) {}
    fn undo(&mut self, (): ()) {}
    #[inline]
    fn event(&mut self, machine: &M, _: &Event, _: &mut Vec<Fault>) {
        self.pay(|| machine.work());
        let watch = self.watch;
        // Detectors and keys look at each pair of threads. Where there are many, that is most of
        // the time.
        let threads = machine.pending().len() as u64;
        if threads > FEW_THREADS {
            watch.control.pay(threads * threads * PAIR);
        }
        let many_dead = watch.assumed.keeps_dead && machine.has_many_dead();
        if watch.assumed.failed(watch.program, many_dead).is_some() {
            watch.many_dead.fetch_or(many_dead, Ordering::Relaxed);
            watch
                .control
                .request_stop(LimitKind::Interrupted, "to be explored in another way");
        }
    }
    fn end(&mut self, _: &M, _: &mut Vec<Fault>) {}
}
