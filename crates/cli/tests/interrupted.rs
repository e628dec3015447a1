//! Every program of the corpus, interrupted between executions and gone on with on a program made
//! anew, as another process would: the whole report is that of an exploration without interruption,
//! and so is what the program has learned.

#[path = "corpus/expectation.rs"]
#[expect(dead_code, reason = "only the options are used here")]
mod expectation;

use selvedge_base::{ContextId, turn, usual_or_long};
use selvedge_detect::{DeadlockDetector, RecallingRaces};
use selvedge_explore::kept::{Keeper, Kept, State};
use selvedge_explore::{Config, Control, Report, Stop, dpor};
use selvedge_frontend as frontend;
use selvedge_model::LimitKind;
use selvedge_vm::{Carried, Options, Program, Recalling, Visibility, Vm};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Executions of one program that are compared.
const MOST: u64 = 60;

/// How often one exploration is interrupted, about.
const PIECES: u64 = 6;

/// Keeps the state after so many questions, and ends the run.
struct Interrupts<'a> {
    after: u64,
    asked: AtomicU64,
    control: &'a Control,
    program: &'a Program,
    kept: Mutex<Option<(State, Carried)>>,
}

impl Keeper for Interrupts<'_> {
    fn is_due(&self) -> bool {
        self.asked.fetch_add(1, Relaxed) >= self.after
    }

    fn keep(&self, state: State) {
        self.control.request_stop(LimitKind::Interrupted, "kept");
        let kept = &mut *self.kept.lock().unwrap();
        kept.get_or_insert_with(|| (state, self.program.carried()));
    }
}

#[test]
fn reports_are_the_same() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let (mut compared, mut interrupted) = (0, 0);
    for file in programs(&corpus) {
        let cases = expectation::cases(&corpus, &file).unwrap_or_else(|e| panic!("{e}"));
        for case in cases {
            if turn(&case.name, usual_or_long(3, 1)) != 0 {
                continue;
            }
            let Some(define) = macros(&case.options) else {
                continue;
            };
            let options = frontend::Options {
                define,
                ..frontend::Options::default()
            };
            let Ok(loaded) = frontend::load(std::slice::from_ref(&case.program), &options) else {
                continue;
            };
            for visibility in [Visibility::Sync, Visibility::Memory] {
                let options = Options {
                    visibility,
                    coverage: true,
                    ..Options::default()
                };
                let make = || Program::new(loaded.module.clone(), options.clone());
                if make().is_err() {
                    continue;
                }
                let make = || make().unwrap_or_else(|error| panic!("{}: {error}", case.name));
                interrupted += compare(&make, &case.name);
                compared += 1;
            }
        }
    }
    println!("{compared} programs, {interrupted} interruptions");
    assert!(compared > 70 && interrupted > 300, "{compared} {interrupted}");
}

/// Holds both against each other; how often it was interrupted.
fn compare(make: &dyn Fn() -> Arc<Program>, name: &str) -> u64 {
    let program = make();
    let control = Control::new();
    let whole = (explore(&program, &control, Kept::default()), learned(&program));
    let statistics = &whole.0.statistics;
    let executions = statistics.executions + statistics.redundant_executions;
    let mut from: Option<(State, Carried)> = None;
    for interruptions in 0.. {
        let (program, control) = (make(), Control::new());
        if let Some((_, carried)) = &from {
            program.carry_on(carried);
        }
        let keeper = Interrupts {
            after: executions / PIECES,
            asked: AtomicU64::new(0),
            control: &control,
            program: &program,
            kept: Mutex::default(),
        };
        let kept = Kept {
            from: from.as_ref().map(|(state, _)| state),
            keeper: Some(&keeper),
        };
        let report = explore(&program, &control, kept);
        let Some(kept) = keeper.kept.into_inner().unwrap() else {
            assert_eq!(
                (report, learned(&program)),
                whole,
                "{name}, interrupted {interruptions} times"
            );
            return interruptions;
        };
        // As another process would read it.
        let text = serde_json::to_string(&kept).unwrap();
        from = Some(serde_json::from_str(&text).unwrap());
    }
    unreachable!("it comes to its end")
}

fn explore(program: &Arc<Program>, control: &Control, kept: Kept<'_>) -> Report {
    let config = Config {
        stop: Stop::Never,
        jobs: 1,
        max_executions: Some(MOST),
        max_events: 2_000,
        ..Config::default()
    };
    let vm = || Vm::fusing(Arc::clone(program)).map(Vm::bounded).unwrap();
    let detectors = || (RecallingRaces::new(), DeadlockDetector::new());
    let make = || (Recalling::new(vm()), detectors());
    let mut report = dpor::explore_kept(&make, &config, control, kept).unwrap();
    // Contexts are numbers of a machine that is gone.
    for found in &mut report.faults {
        found.fault.context = ContextId(0);
        found.fault.related.iter_mut().for_each(|r| r.2 = ContextId(0));
    }
    report
}

/// What the program has learned, without what solvers did, whose caches begin empty.
fn learned(program: &Program) -> Carried {
    let mut carried = program.carried();
    carried.solver.queries = 0;
    carried.solver.seconds = 0.0;
    carried.solver.layers.clear();
    carried
}

/// The macros that a case defines; `None` if it has other options that matter to what the program
/// does.
fn macros(options: &[String]) -> Option<Vec<String>> {
    let mut macros = Vec::new();
    for option in options {
        match option.strip_prefix("-D") {
            Some(define) if !define.is_empty() => macros.push(define.to_owned()),
            _ => return None,
        }
    }
    Some(macros)
}

/// All programs below a folder whose executions end.
fn programs(corpus: &Path) -> Vec<PathBuf> {
    let (mut folders, mut programs) = (vec![corpus.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() && !path.ends_with("endless") {
                folders.push(path);
            } else if extension == Some("c") {
                programs.push(path);
            }
        }
    }
    programs.sort();
    programs
}
