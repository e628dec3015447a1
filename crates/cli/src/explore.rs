//! One exploration: the strategy on machines of the right kind, beside a watcher of time, memory and Ctrl-C.

use crate::args::{CheckArgs, SearchOrder, StopAt, Strategy};
use crate::emit::{Emitter, Recorder};
use crate::plan::Plan;
use crate::program::{Setup, canonical_machine, fusing_machine, machine};
use crate::unfolding;
use crate::watch::Watch;
use selvedge_detect::RecallingRaces;
use selvedge_explore::{Config, Control, Order, Report, Stop};
use selvedge_model::{Detector, Event, Fault, LimitKind, Property};
use selvedge_vm::{Program, Recalling, Vm};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

/// An exploration to make.
pub(crate) struct Exploration<'a> {
    pub(crate) args: &'a CheckArgs,
    pub(crate) plan: Plan,
    pub(crate) setup: &'a Setup,
    pub(crate) program: &'a Arc<Program>,
    pub(crate) emitter: Option<&'a Arc<Mutex<Emitter>>>,
    pub(crate) watch: &'a Watch,
}

impl Exploration<'_> {
    /// The report of an exploration for these properties, and the part of the search tree that was done, as far as it was known; nothing, if
    /// a dead object's memory was used again and the plan does not want that.
    pub(crate) fn run(&self, properties: BTreeSet<Property>) -> Option<(Report, f64)> {
        let config = self.config(properties);
        if self.plan.strategy == Strategy::Unfold {
            return self.unfold(&config);
        }
        Some(self.interleave(&config))
    }

    fn config(&self, properties: BTreeSet<Property>) -> Config {
        let args = self.args;
        let mut config = Config {
            properties,
            stop: match args.stop {
                StopAt::First => Stop::First,
                StopAt::Never => Stop::Never,
            },
            sleep_sets: args.sleep_sets.on(),
            max_executions: args.max_executions,
            jobs: args.jobs.map_or_else(
                || std::thread::available_parallelism().map_or(1, usize::from),
                usize::from,
            ),
            seed: args.seed,
            partial: args.k,
            order: match args.search {
                SearchOrder::Dfs => Order::DepthFirst,
                SearchOrder::Bfs => Order::BreadthFirst,
                SearchOrder::Random => Order::Random,
                SearchOrder::Coverage => Order::Coverage,
            },
            cutoffs: args.cutoffs.on(),
            dump: args.dump_unfolding.as_ref().map(|_| unfolding::MOST_EVENTS),
            ..Config::default()
        };
        if let Some(events) = args.max_events {
            config.max_events = events;
        }
        if self.emitter.is_some() {
            config.jobs = 1;
        }
        config
    }

    /// The unfolding, with machines whose events do not depend on what is independent of them.
    fn unfold(&self, config: &Config) -> Option<(Report, f64)> {
        let control = Control::new();
        let reused = |vm: &Vm| self.plan.keeps_dead && vm.has_reused();
        let gone = AtomicBool::new(false);
        let guard = || StopsWhen {
            control: &control,
            happened: &gone,
            what: &reused,
        };
        let explored = match self.emitter {
            None => {
                let make = || {
                    let (vm, detectors) = canonical_machine(self.program);
                    (vm, (detectors, guard()))
                };
                self.explore(&make, config, &control)
            }
            Some(emitter) => {
                let make = || {
                    let (vm, detectors) = canonical_machine(self.program);
                    (vm, ((detectors, guard()), self.recorder(emitter, config)))
                };
                self.explore(&make, config, &control)
            }
        };
        (!gone.into_inner()).then_some(explored)
    }

    /// Executions step by step, with machines that make few events as long as that loses nothing.
    fn interleave(&self, config: &Config) -> (Report, f64) {
        let program = self.program;
        // Without a recorder there is none in the types either, so that exploration pays nothing for it.
        if let Some(emitter) = self.emitter {
            let make = || {
                let (vm, detectors) = machine(program);
                (vm, (detectors, self.recorder(emitter, config)))
            };
            return self.explore(&make, config, &Control::new());
        }
        if self.plan.fuses(self.args) {
            let control = Control::new();
            let spoiled = AtomicBool::new(false);
            let make = || {
                let (vm, (races, deadlocks)) = fusing_machine(program);
                let guard = StopsWhen {
                    control: &control,
                    happened: &spoiled,
                    what: &Recalling::is_spoiled,
                };
                let vm = if self.plan.recalls(self.args) {
                    Recalling::new(vm)
                } else {
                    Recalling::executing(vm)
                };
                let races = races.map(RecallingRaces::of);
                (vm, ((races, deadlocks), guard))
            };
            let run = || selvedge_explore::dpor::explore(&make, config, &control);
            let explored = self.watched(run, &control);
            if !program.is_spoiled() {
                return explored;
            }
        }
        self.explore(&|| machine(program), config, &Control::new())
    }

    fn recorder(&self, emitter: &Arc<Mutex<Emitter>>, config: &Config) -> Recorder {
        let ends_at = match config.stop {
            Stop::First => config.properties.clone(),
            Stop::Never => BTreeSet::new(),
        };
        Recorder::new(emitter, self.setup, ends_at)
    }

    fn explore<D: Detector<Vm>>(
        &self,
        make: &(impl Fn() -> (Vm, D) + Sync),
        config: &Config,
        control: &Control,
    ) -> (Report, f64) {
        let run = || match self.plan.strategy {
            Strategy::Dpor => selvedge_explore::dpor::explore(make, config, control),
            Strategy::Unfold => selvedge_explore::unfold::explore(make, config, control),
            Strategy::Random => selvedge_explore::random::explore(make, config, control),
            Strategy::Pct => selvedge_explore::pct::explore(make, config, control),
        };
        self.watched(run, control)
    }

    /// Runs an exploration beside the watcher; its report, and the part of the search tree that was done.
    fn watched(&self, run: impl FnOnce() -> Report, control: &Control) -> (Report, f64) {
        let (done, watched) = mpsc::channel::<()>();
        let watch = self.watch;
        std::thread::scope(|scope| {
            scope.spawn(move || watch.run(control, &watched));
            let _done = done; // dropped at the end, also of a panic: the watcher ends
            (run(), control.progress().part)
        })
    }
}

/// Ends an exploration as soon as it is known that it has to be made in another way.
struct StopsWhen<'a, F> {
    control: &'a Control,
    happened: &'a AtomicBool,
    what: &'a F,
}

impl<M, F: Fn(&M) -> bool> Detector<M> for StopsWhen<'_, F> {
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
