//! Identical threads: random C programs with `--symmetry on` and `off`, by all strategies that have
//! it: the same assertions fail, and deadlocks, races and threads that spin are found or not.
//!
//! In every second program something may tell the threads apart, which must be noticed.
//!
//! `SELVEDGE_IDENTICAL=FROM..TO` runs other seeds; `SELVEDGE_IDENTICAL_KEEP=1` goes on after a failure
//! and shows all of them.

mod generate;

use generate::{Differs, differs};
use selvedge_explore::Stop;
use selvedge_frontend::Loaded;
use selvedge_model::{Property, Verdict};
use selvedge_session::{Options, Setup, Strategy, Symmetry, Unobserved, check};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

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
}

#[derive(PartialEq, Eq, Debug)]
struct Seen {
    verdict: Verdict,
    found: BTreeSet<(&'static str, u32)>,
}

fn setup(path: &Path) -> Setup {
    let mut setup = Options::default().setup;
    setup.inputs = vec![path.to_owned()];
    setup.vm.max_steps = 20_000;
    setup
}

/// What a session says of a program, how many executions it took, and whether identical threads took
/// turns; none if it is too large.
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
    let place = |f: &selvedge_report::FindingReport| {
        let kind = f.finding.kind.name();
        let line = if kind == "assertion" {
            f.finding.location.line
        } else {
            0
        };
        // Whether others run on beside a deadlock is one question for each of its threads.
        (kind, line)
    };
    let limited = report.reasons.iter().any(|reason| reason.limit.is_some());
    let statistics = &report.statistics;
    let used = report.assumptions.iter().any(|text| text.contains("--symmetry"));
    (!limited).then(|| {
        let seen = Seen {
            verdict: report.verdict,
            found: report.findings.iter().map(place).collect(),
        };
        (seen, statistics.executions + statistics.cut_executions, used)
    })
}

fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("symmetry");
    std::fs::create_dir_all(&folder).expect("the temporary directory is writable");
    let path = folder.join(format!("{seed}.c"));
    std::fs::write(&path, generate::program(seed)).expect("the temporary directory is writable");
    let program = setup(&path).load().map_err(|e| format!("{e}"))?;
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
        let may = matches!(differs(seed), Differs::Nothing | Differs::IdleArguments);
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
    Ok(())
}

fn main() {
    let chosen = std::env::var("SELVEDGE_IDENTICAL").ok();
    let seeds = chosen.as_deref().map_or(SEEDS, |text| {
        let (from, to) = text.split_once("..").expect("FROM..TO");
        let number = |n: &str| n.trim().parse().expect("a number");
        number(from)..number(to)
    });
    let keep = std::env::var_os("SELVEDGE_IDENTICAL_KEEP").is_some();
    let mut counts = Counts::default();
    let mut failures = Vec::new();
    for seed in seeds {
        if let Err(message) = compare(seed, &mut counts) {
            println!("seed {seed}: {message}");
            failures.push(seed);
            if !keep {
                break;
            }
        }
    }
    println!("{counts:?}");
    if !failures.is_empty() {
        println!("failures: {failures:?}");
        std::process::exit(1);
    }
    assert!(counts.compared > counts.too_large, "most programs are too large");
    assert!(counts.used * 4 > counts.compared, "threads hardly take turns");
    assert!(counts.on < counts.off, "taking turns saves nothing");
}
