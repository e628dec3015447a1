//! `selvedge check`.

use crate::args::{CheckArgs, SearchOrder, StopAt, Strategy, Visibility, When};
use crate::assumptions::assumptions;
use crate::emit::{Emitter, Recorder};
use crate::exit::Exit;
use crate::finding::FoundBy;
use crate::output::{note, writable};
use crate::program::{Setup, canonical_machine, fusing_machine, machine, sources};
use crate::watch::{Watch, peak_memory};
use crate::write::{lcov_file, write};
use crate::{finding, properties, unfolding};
use selvedge_explore::unfold::Partial;
use selvedge_explore::{Config, Control, Found, Order, Report, Stop};
use selvedge_model::{
    Describe, Detector, Event, Fault, FaultKind, Input, LimitKind, Property, StopReason, Verdict,
};
use selvedge_report::{Covered, CoveredUnfolding, Ktest, Layer, Reason, RunReport, Sources, Statistics};
use selvedge_vm::{LayerStatistics, Program, Vm};
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Instant;

/// Dead objects that wait before their memory is used again, with cutoffs.
const QUARANTINE: u32 = 4;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Exit {
    let started = Instant::now();
    let asked = match args
        .property
        .as_deref()
        .map_or_else(|| Ok(properties::default()), properties::parse)
    {
        Ok(asked) if asked.is_empty() => return Exit::usage("--property names no property"),
        Ok(asked) => asked,
        Err(message) => return Exit::usage(&message),
    };
    if let Some(output) = &args.output
        && output.is_dir()
    {
        return Exit::usage(&format!("-o {}: this is a directory", output.display()));
    }
    let dump = match unfolding::wanted(args) {
        Ok(dump) => dump,
        Err(message) => return Exit::usage(&message),
    };
    let written = [
        ("-o ", args.output.as_deref()),
        ("--coverage=", lcov_file(args)),
        ("--dump-unfolding ", dump.map(|(file, _)| file)),
    ];
    for (option, file) in written {
        if let Some(file) = file
            && let Err(error) = writable(file)
        {
            return Exit::usage(&format!("{option}{}: cannot be written: {error}", file.display()));
        }
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // The second Ctrl-C ends the process at once: compiling and linking do not look at the flag.
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::INCONCLUSIVE.into());
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        note(&format!("warning: Ctrl-C will not end the run cleanly: {error}"));
    }
    let watch = Watch {
        started,
        max_time: args.max_time,
        max_memory: args.max_memory,
        progress: match args.progress {
            When::Auto => std::io::stderr().is_terminal() && !args.quiet,
            When::Always => true,
            When::Never => false,
        },
        interrupted,
    };
    if !args.quiet {
        unused(args).iter().for_each(|text| note(text));
    }
    check(args, asked, &watch)
}

/// What to say of options that the strategy has no use for.
fn unused(args: &CheckArgs) -> Vec<String> {
    let word = args.strategy.word();
    let unfolds = args.strategy == Strategy::Unfold;
    let ignored = |option: &str, given: bool| {
        let text = || format!("note: --{option} is for another strategy, and changes nothing for {word}");
        given.then(text)
    };
    let one_core = unfolds && args.jobs.is_some_and(|jobs| jobs > 1);
    [
        ignored("k", !unfolds && args.k != Partial::Last(1)),
        ignored("search", !unfolds && args.search != SearchOrder::Dfs),
        ignored("cutoffs", !unfolds && !args.cutoffs.on()),
        ignored(
            "quarantine",
            args.quarantine.is_some() && setup_quarantine(args).is_none(),
        ),
        ignored(
            "sleep-sets",
            args.strategy != Strategy::Dpor && !args.sleep_sets.on(),
        ),
        one_core.then(|| "note: unfold uses one core, whatever --jobs says".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// How many dead objects wait before their memory is used again: where states must come back, a few; else all of them.
fn setup_quarantine(args: &CheckArgs) -> Option<u32> {
    (args.strategy == Strategy::Unfold && args.cutoffs.on()).then(|| args.quarantine.unwrap_or(QUARANTINE))
}

/// An exploration with what it was an exploration of.
struct Explored {
    setup: Setup,
    program: Arc<Program>,
    report: Report,
    /// The part of the search tree that was done, as far as it was known.
    part: f64,
}

fn check(args: &CheckArgs, asked: BTreeSet<Property>, watch: &Watch) -> Exit {
    let mut setup = Setup::new(args, &asked);
    if let Some(path) = &args.given.input {
        match read_inputs(path) {
            Ok(inputs) => setup.vm.inputs = Some(inputs),
            Err(message) => return Exit::input(&message),
        }
    }
    let emitter = match &args.given.emit_tests {
        None => None,
        Some(directory) => match Emitter::new(directory, Arc::clone(&watch.interrupted)) {
            Ok(emitter) => Some(Arc::new(Mutex::new(emitter))),
            Err(error) => {
                return Exit::usage(&format!("--emit-tests {}: {error}", directory.display()));
            }
        },
    };
    let loaded = match setup.load() {
        Ok(loaded) => loaded,
        Err(error) => return Exit::input(&error.to_string()),
    };
    let sources = sources(&loaded);
    let mut first = args.visibility;
    let mut module = Some(loaded.module);
    let explored = loop {
        setup.vm.visibility = match first {
            Visibility::Auto | Visibility::Sync => selvedge_vm::Visibility::Sync,
            Visibility::Memory => selvedge_vm::Visibility::Memory,
        };
        // Fewer scheduling points are enough only if there is no race, so races are looked for even if nobody asks.
        let mut properties = asked.clone();
        if first != Visibility::Memory {
            properties.insert(Property::DataRace);
        }
        setup.vm.fingerprints = args.strategy == Strategy::Unfold;
        setup.vm.quarantine = setup_quarantine(args);
        setup.vm.record_accesses = properties.contains(&Property::DataRace);
        let may_repeat = first == Visibility::Auto && !asked.contains(&Property::DataRace);
        let copy = if may_repeat { module.clone() } else { module.take() };
        let Some(copy) = copy else {
            return Exit::internal("the program is gone");
        };
        let program = match Program::new(copy, setup.vm.clone()) {
            Ok(program) => program,
            Err(error) => return Exit::input(&error.to_string()),
        };
        if let Err(error) = Vm::new(Arc::clone(&program)) {
            return Exit::input(&error.to_string());
        }
        list_missing(args, &program, first == args.visibility);
        let (report, part) = explore(args, &setup, &program, properties, emitter.as_ref(), watch);
        let race = report
            .faults
            .iter()
            .any(|found| found.fault.kind == FaultKind::DataRace);
        if may_repeat && race {
            note(
                "note: the program has data races, which were not asked about: going on with --visibility memory",
            );
            first = Visibility::Memory;
            if let Some(emitter) = &emitter
                && let Err(error) = lock(emitter).restart()
            {
                return Exit::internal(&format!("the test cases: {error}"));
            }
            continue;
        }
        break Explored {
            setup,
            program,
            report,
            part,
        };
    };
    if let Some(emitter) = &emitter {
        let mut emitter = lock(emitter);
        if let Some(error) = emitter.take_error() {
            return Exit::internal(&format!("cannot write the test cases: {error}"));
        }
        if !args.quiet {
            note(&format!("test cases written: {}", emitter.count()));
        }
    }
    conclude(args, &asked, explored, &sources, watch)
}

fn lock(emitter: &Mutex<Emitter>) -> MutexGuard<'_, Emitter> {
    emitter.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_inputs(path: &Path) -> Result<Vec<Input>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let ktest = Ktest::read(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(ktest.inputs)
}

fn list_missing(args: &CheckArgs, program: &Program, first: bool) {
    let missing: Vec<&str> = program.missing().collect();
    if first && !missing.is_empty() && !args.quiet {
        note(&format!(
            "note: these functions are neither defined nor modelled; calling one makes the verdict unknown: {}",
            missing.join(", ")
        ));
    }
}

fn explore(
    args: &CheckArgs,
    setup: &Setup,
    program: &Arc<Program>,
    properties: BTreeSet<Property>,
    emitter: Option<&Arc<Mutex<Emitter>>>,
    watch: &Watch,
) -> (Report, f64) {
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
    // Without a recorder there is none in the types either, so that exploration pays nothing for it.
    match emitter {
        None => {
            if fuses(args) {
                let control = Control::new();
                let make = || {
                    let (vm, detectors) = fusing_machine(program);
                    (vm, (detectors, Unspoiled(&control)))
                };
                let report = explore_with(&make, args.strategy, &config, &control, watch);
                if !program.is_spoiled() {
                    return report;
                }
            }
            if args.strategy == Strategy::Unfold {
                let make = || canonical_machine(program);
                return explore_with(&make, args.strategy, &config, &Control::new(), watch);
            }
            let make = || machine(program);
            explore_with(&make, args.strategy, &config, &Control::new(), watch)
        }
        Some(emitter) => {
            config.jobs = 1;
            let ends_at = match config.stop {
                Stop::First => config.properties.clone(),
                Stop::Never => BTreeSet::new(),
            };
            let make = || {
                let (vm, detectors) = match args.strategy {
                    Strategy::Unfold => canonical_machine(program),
                    _ => machine(program),
                };
                (vm, (detectors, Recorder::new(emitter, setup, ends_at.clone())))
            };
            explore_with(&make, args.strategy, &config, &Control::new(), watch)
        }
    }
}

/// Whether the exploration begins with machines that make as few events as they can.
fn fuses(args: &CheckArgs) -> bool {
    args.strategy == Strategy::Dpor && args.given.emit_tests.is_none()
}

/// Stops an exploration with fusing machines as soon as it is known to be incomplete.
struct Unspoiled<'a>(&'a Control);

impl Detector<Vm> for Unspoiled<'_> {
    type Mark = ();
    fn mark(&mut self) {}
    fn undo(&mut self, (): ()) {}
    #[inline]
    fn event(&mut self, vm: &Vm, _: &Event, _: &mut Vec<Fault>) {
        if vm.is_spoiled() {
            self.0
                .request_stop(LimitKind::Interrupted, "to be explored in more steps");
        }
    }
    fn end(&mut self, _: &Vm, _: &mut Vec<Fault>) {}
}

fn explore_with<D: Detector<Vm>>(
    make: &(impl Fn() -> (Vm, D) + Sync),
    strategy: Strategy,
    config: &Config,
    control: &Control,
    watch: &Watch,
) -> (Report, f64) {
    let (done, watched) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || watch.run(control, &watched));
        let _done = done; // dropped at the end, also of a panic: the watcher ends
        let report = match strategy {
            Strategy::Dpor => selvedge_explore::dpor::explore(make, config, control),
            Strategy::Unfold => selvedge_explore::unfold::explore(make, config, control),
            Strategy::Random => selvedge_explore::random::explore(make, config, control),
            Strategy::Pct => selvedge_explore::pct::explore(make, config, control),
        };
        (report, control.progress().part)
    })
}

fn conclude(
    args: &CheckArgs,
    asked: &BTreeSet<Property>,
    explored: Explored,
    sources: &Sources,
    watch: &Watch,
) -> Exit {
    let Explored {
        setup,
        program,
        report,
        ..
    } = &explored;
    let is_asked = |found: &&Found| asked.contains(&found.fault.kind.property());
    // One step may show several faults; the first is what was asked for.
    let most = if args.stop == StopAt::First { 1 } else { usize::MAX };
    let mut findings = Vec::new();
    let by = match args.strategy {
        Strategy::Unfold => FoundBy::Canonical,
        _ if fuses(args) && !program.is_spoiled() => FoundBy::Fusing,
        _ => FoundBy::Plain,
    };
    for found in report.faults.iter().filter(is_asked).take(most) {
        match finding::describe(setup, program, found, by) {
            Ok(finding) => findings.push(finding),
            Err(error) => return Exit::internal(&error.to_string()),
        }
    }
    let reasons = reasons(args, asked, &explored);
    let verdict = if !findings.is_empty() {
        Verdict::Violated
    } else if reasons.is_empty()
        && report.stop == StopReason::Complete
        && report.verdict() == Verdict::Verified
    {
        Verdict::Verified
    } else {
        Verdict::Unknown
    };
    let counts = &report.statistics;
    let solver = program.solver_statistics();
    let coverage = args.given.coverage.as_ref().map(|_| program.coverage());
    let run = RunReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        inputs: args
            .inputs
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        verdict,
        reasons,
        assumptions: assumptions(args, setup),
        strategy: args.strategy.word().to_owned(),
        dependence: args.dependence.clone(),
        visibility: if setup.vm.visibility == selvedge_vm::Visibility::Sync {
            "sync"
        } else {
            "memory"
        }
        .to_owned(),
        statistics: Statistics {
            executions: counts.executions,
            redundant_executions: counts.redundant_executions,
            cut_executions: counts.cut_executions,
            events: counts.events,
            unfolding_events: counts.unfolding_events,
            cutoffs: counts.cutoffs,
            states: counts.states,
            max_depth: counts.max_depth,
            threads: counts.threads,
            choices: counts.choices,
            branches_explored: solver.branches,
            solver_queries: solver.queries,
            solver_seconds: solver.seconds,
            instructions: explored.program.executed(),
            seconds: watch.started.elapsed().as_secs_f64(),
            peak_memory_bytes: peak_memory(),
            ..Statistics::default()
        },
        layers: solver.layers.into_iter().map(layer).collect(),
        coverage,
        covered: covered(args, &explored),
        findings,
    };
    if let Ok(Some((file, form))) = unfolding::wanted(args)
        && let Err(message) = unfolding::write(program, report, file, form)
    {
        return Exit::internal(&message);
    }
    if let Err(message) = write(args, &run, sources) {
        return Exit::internal(&message);
    }
    match verdict {
        Verdict::Verified => Exit::Code(0),
        Verdict::Violated => Exit::Code(Exit::VIOLATED),
        Verdict::Unknown => Exit::Code(Exit::INCONCLUSIVE),
    }
}

/// What was covered by a run that a limit ended, of a strategy that would have covered everything.
fn covered(args: &CheckArgs, explored: &Explored) -> Option<Covered> {
    let Explored {
        program,
        report,
        part,
        ..
    } = explored;
    let bounded = matches!(report.stop, StopReason::Limit(_)) || report.covered.is_some();
    if !bounded || matches!(args.strategy, Strategy::Random | Strategy::Pct) {
        return None;
    }
    let vm = Vm::new(Arc::clone(program)).ok()?;
    let unfolding = report.covered.as_ref().map(|covered| CoveredUnfolding {
        cut: covered.cut,
        open: covered.open,
        undecided: covered.undecided,
        threads: covered.threads.clone(),
        not_taken: covered
            .not_taken
            .iter()
            .map(|(&stmt, &count)| (vm.location(stmt), count))
            .collect(),
    });
    Some(Covered {
        executions: report.statistics.executions,
        part: (args.strategy == Strategy::Dpor).then_some(*part),
        unfolding,
    })
}

fn layer(counts: LayerStatistics) -> Layer {
    Layer {
        name: counts.name,
        queries: counts.queries,
        answered: counts.answered,
        seconds: counts.seconds,
    }
}

/// Everything that keeps the verdict from being final.
fn reasons(args: &CheckArgs, asked: &BTreeSet<Property>, explored: &Explored) -> Vec<Reason> {
    let report = &explored.report;
    let vm = Vm::new(Arc::clone(&explored.program)).ok();
    let place = |stmt| {
        vm.as_ref()
            .map(|vm| vm.location(stmt))
            .filter(|l| !l.file.is_empty() || !l.function.is_empty())
    };
    let mut reasons = Vec::new();
    for what in &report.unsupported {
        reasons.push(Reason {
            limit: None,
            detail: what.what.clone(),
            location: place(what.stmt),
        });
    }
    for limit in &report.limits {
        let whole_run = matches!(
            limit.kind,
            LimitKind::Time
                | LimitKind::Executions
                | LimitKind::Events
                | LimitKind::Depth
                | LimitKind::Interrupted
        );
        let location = if whole_run { None } else { place(limit.stmt) };
        reasons.push(Reason {
            limit: Some(limit.kind),
            detail: limit.detail.clone(),
            location,
        });
    }
    if let StopReason::Limit(limit) = &report.stop {
        reasons.push(Reason {
            limit: Some(limit.kind),
            detail: limit.detail.clone(),
            location: None,
        });
    }
    if let Some(race) = report.faults.iter().find(|f| f.fault.kind == FaultKind::DataRace)
        && !asked.contains(&Property::DataRace)
    {
        let detail =
            "the program has data races, so visibility `sync` is not enough (use auto or memory)".to_owned();
        reasons.push(Reason {
            limit: None,
            detail,
            location: place(race.fault.stmt),
        });
    }
    let samples = matches!(args.strategy, Strategy::Random | Strategy::Pct);
    if samples && reasons.is_empty() && report.faults.is_empty() {
        let detail = format!("the strategy {} samples executions", args.strategy.word());
        reasons.push(Reason {
            limit: Some(LimitKind::Executions),
            detail,
            location: None,
        });
    }
    reasons
}
