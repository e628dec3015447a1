//! Every program of the corpus with a machine that recalls its steps, and compares each with what
//! happens: the whole report is that of a machine that executes them.

#[path = "corpus/expectation.rs"]
#[expect(dead_code, reason = "only the options are used here")]
mod expectation;

use selvedge_base::{turn, usual_or_long};
use selvedge_detect::{DeadlockDetector, RaceDetector, RecallingRaces};
use selvedge_explore::{Config, Control, Stop, dpor};
use selvedge_frontend as frontend;
use selvedge_vm::{Options, Program, Recalling, Visibility, Vm};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Executions of one program that are compared.
const MOST: u64 = 400;

#[test]
fn reports_are_the_same() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let every = usual_or_long(4, 1); // `cargo xtask nightly` takes all
    let mut programs = programs(&corpus);
    programs.retain(|program| {
        let name = program.strip_prefix(&corpus).map(|path| path.to_string_lossy());
        name.is_ok_and(|name| turn(&name, every) == 0)
    });
    let next = AtomicUsize::new(0);
    let one_of_them = || {
        let mut counts = (0, 0);
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (compared, recalled) = compare_cases(&corpus, program);
            counts = (counts.0 + compared, counts.1 + recalled);
        }
        counts
    };
    let (compared, recalled) = std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(one_of_them)).collect();
        let counts = running.into_iter().map(|thread| thread.join().expect("no panic"));
        counts.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    });
    assert!(compared > 150, "only {compared} programs");
    assert!(
        recalled > 60,
        "only {recalled} programs have steps that come again"
    );
}

/// Compares each case of a program under both visibilities: how many were compared, and how many
/// of them had something to recall.
fn compare_cases(corpus: &Path, program: &Path) -> (u64, u64) {
    let (mut compared, mut recalled) = (0, 0);
    for case in expectation::cases(corpus, program).unwrap_or_else(|e| panic!("{e}")) {
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
                ..Options::default()
            };
            let Ok(program) = Program::new(loaded.module.clone(), options) else {
                continue;
            };
            recalled += compare(&program, &case.name);
            compared += 1;
        }
    }
    (compared, recalled)
}

/// Holds both reports against each other; 1 if there was something to recall.
fn compare(program: &Arc<Program>, name: &str) -> u64 {
    let config = Config {
        stop: Stop::Never,
        jobs: 1,
        max_executions: Some(MOST),
        max_events: 2_000,
        ..Config::default()
    };
    let vm = || Vm::fusing(Arc::clone(program)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let detectors = || (RaceDetector::new(), DeadlockDetector::new());
    let direct = dpor::explore(&|| (vm(), detectors()), &config, &Control::new());
    let races = || (RecallingRaces::checked(), DeadlockDetector::new());
    let recall = || (Recalling::checked(vm()), races());
    let recalled = dpor::explore(&recall, &config, &Control::new());
    assert_eq!(direct, recalled, "{name}");
    u64::from(direct.statistics.executions > 1)
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
            } else if matches!(extension, Some("c" | "cc")) {
                programs.push(path);
            }
        }
    }
    programs.sort();
    programs
}
