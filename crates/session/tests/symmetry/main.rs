//! Identical threads: random C programs with `--symmetry on` and `off`, by all strategies that have
//! it: the same assertions fail, and deadlocks, races and threads that spin are found or not.
//!
//! In every second program something may tell the threads apart, which must be noticed.
//!
//! `SELVEDGE_IDENTICAL=FROM..TO` runs other seeds; `SELVEDGE_IDENTICAL_KEEP=1` goes on after a
//! failure and shows all of them.

mod cases;
#[path = "../compared/mod.rs"]
mod compared;
mod generate;

use compared::{Seen, setup};
use generate::{Differs, differs};
use selvedge_analysis::PointsTo;
use selvedge_analysis::identical::identical;
use selvedge_detect::{DeadlockDetector, RaceDetector};
use selvedge_explore::{Config, Control, Found, Stop, stateful, unfold};
use selvedge_frontend::Loaded;
use selvedge_model::{Property, StopReason, Verdict};
use selvedge_session::{Options, Strategy, Symmetry, Unobserved, check};
use selvedge_vm::{Identical, Program, Vm};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const SEEDS: Range<u64> = 0..110;

/// Explorations of more executions than this are left out.
const MAX_EXECUTIONS: u64 = 4_000;

#[derive(Default, Debug)]
struct Counts {
    compared: u32,
    too_large: u32,
    verified: u32,
    violated: u32,
    /// Identical threads took turns.
    used: u32,
    /// Executions and cutoffs without and with.
    off: u64,
    on: u64,
    by_kind: BTreeMap<&'static str, u32>,
    /// Explorations with turns at one place or another, and those in which threads stayed held.
    places: u32,
    held: u32,
}

/// What a session says of a program, how many executions it took, and whether identical threads
/// took turns; none if it is too large.
fn seen(path: &Path, program: &Loaded, strategy: Strategy, symmetry: Symmetry) -> Option<(Seen, u64, bool)> {
    let options = Options {
        strategy: Some(strategy),
        symmetry,
        stop: Stop::Never,
        jobs: Some(1),
        max_executions: Some(MAX_EXECUTIONS),
        max_events: Some(200),
        setup: setup(path),
        properties: [Property::Assertion, Property::Deadlock, Property::DataRace].into(),
        ..Options::default()
    };
    let report = check(program, &options, &Unobserved)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        .report;
    let limited = report.reasons.iter().any(|reason| reason.limit.is_some());
    let statistics = &report.statistics;
    let used = report.assumptions.iter().any(|text| text.contains("--symmetry"));
    (!limited).then(|| {
        (
            Seen::of(&report),
            statistics.executions + statistics.cut_executions,
            used,
        )
    })
}

fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let (path, program) = compared::load("symmetry", &seed.to_string(), &generate::program(seed))?;
    for strategy in [Strategy::Stateful, Strategy::Unfold, Strategy::Dpor] {
        let off = seen(&path, &program, strategy, Symmetry::Off);
        let on = seen(&path, &program, strategy, Symmetry::On);
        let (Some((off, before, _)), Some((on, after, used))) = (off, on) else {
            counts.too_large += 1;
            continue;
        };
        if off != on {
            return Err(format!(
                "{} ({:?}): {off:?}, with symmetry {on:?}",
                strategy.word(),
                differs(seed)
            ));
        }
        let may = matches!(
            differs(seed),
            // A number that is only compared, in the same way for each thread, tells nobody apart.
            Differs::Nothing | Differs::IdleArguments | Differs::Arguments | Differs::Roles
        );
        if used && !may {
            return Err(format!(
                "{}: threads are told apart by {:?}",
                strategy.word(),
                differs(seed)
            ));
        }
        counts.compared += 1;
        counts.used += u32::from(used);
        counts.verified += u32::from(on.verdict == Verdict::Verified);
        counts.violated += u32::from(on.verdict == Verdict::Violated);
        counts.off += before;
        counts.on += after;
        for (kind, _) in on.found {
            *counts.by_kind.entry(kind).or_default() += 1;
        }
    }
    compare_places(&path, &program, counts)
}

/// Whether threads that take turns at another place than the first one bring the same faults, by
/// `stateful` and `unfold`. Any place is right, and late ones show more of what held threads do.
fn compare_places(path: &Path, program: &Loaded, counts: &mut Counts) -> Result<(), String> {
    let modelled = |name: &str| selvedge_vm::models::find(name).is_some();
    let module = &program.module;
    let points_to = PointsTo::of(module, module.function("main"), &modelled);
    let Ok(facts) = identical(module, &points_to) else {
        return Ok(());
    };
    for unfolds in [false, true] {
        let explore = |place: Option<usize>| {
            let options = selvedge_vm::Options {
                fingerprints: true,
                max_steps: 20_000,
                ..setup(path).vm
            };
            let vm = Program::new(module.clone(), options).expect("a program that compiles");
            if let Some(place) = place {
                let identical = Identical {
                    starts: facts
                        .starts
                        .iter()
                        .map(|(&start, given)| (start, given.clone().compared()))
                        .collect(),
                    handles: facts.handles.clone(),
                    place,
                };
                vm.learn_turns(&identical).expect("a machine");
                if !vm.takes_turns() {
                    return None;
                }
            }
            let make = || {
                let machine = Vm::canonical(Arc::clone(&vm)).expect("a machine");
                let machine = if place.is_some() {
                    machine.with_turns()
                } else {
                    machine
                };
                (machine, (RaceDetector::new(), DeadlockDetector::new()))
            };
            let config = Config {
                stop: Stop::Never,
                max_executions: Some(MAX_EXECUTIONS),
                properties: [Property::Assertion, Property::Deadlock, Property::DataRace].into(),
                ..Config::default()
            };
            let report = match unfolds {
                true => unfold::explore(&make, &config, &Control::new()),
                false => stateful::explore(&make, &config, &Control::new()),
            };
            let whole = report.stop == StopReason::Complete && report.limits.is_empty();
            let place_of = |found: &Found| {
                let kind = found.fault.kind.name();
                (
                    kind,
                    if kind == "assertion" {
                        found.fault.stmt.0
                    } else {
                        0
                    },
                )
            };
            let found: BTreeSet<(&str, u32)> = report.faults.iter().map(place_of).collect();
            (whole && !vm.told_apart()).then_some((found, report.statistics.redundant_executions))
        };
        let Some((expected, _)) = explore(None) else {
            continue;
        };
        for place in 0..3 {
            let Some((found, held)) = explore(Some(place)) else {
                continue;
            };
            if found != expected {
                return Err(format!(
                    "turns at place {place}, unfold {unfolds}: {found:?}, not {expected:?}"
                ));
            }
            counts.places += 1;
            counts.held += u32::from(held > 0);
        }
    }
    Ok(())
}

fn main() {
    let wrong = cases::check_all();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let counts = compared::all("SELVEDGE_IDENTICAL", SEEDS, compare);
    assert!(counts.compared > counts.too_large, "most programs are too large");
    assert!(counts.used * 4 > counts.compared, "threads hardly take turns");
    assert!(counts.held > 10, "threads are hardly held");
    assert!(counts.on < counts.off, "taking turns saves nothing");
}
