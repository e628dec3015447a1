//! Threads that wait in loops: random C programs with `--awaits on` and `off`, and by
//! `stateful`: the same final states, failed assertions, deadlocks, races and loops that are
//! never left.
//!
//! `SELVEDGE_AWAITS_SEEDS=FROM..TO` runs other seeds; `SELVEDGE_AWAITS_KEEP=1` goes on after a
//! failure and shows all of them.

mod generate;

use selvedge_frontend::Loaded;
use selvedge_model::{Property, Verdict};
use selvedge_session::{Options, Setup, Strategy, Unobserved, check};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

const SEEDS: Range<u64> = 0..80;

/// Explorations of more executions than this are left out.
const MAX_EXECUTIONS: u64 = 20_000;

#[derive(Default, Debug)]
struct Counts {
    compared: u32,
    too_large: u32,
    /// Explorations with fewer events where threads are held.
    fewer: u32,
    /// Events without and with.
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

/// What a session says of a program, and how many events it took; none if it is too large.
fn seen(path: &Path, program: &Loaded, strategy: Strategy, awaits: bool) -> Option<(Seen, u64)> {
    let options = Options {
        strategy: Some(strategy),
        awaits,
        stop: selvedge_explore::Stop::Never,
        jobs: Some(1),
        max_executions: Some(MAX_EXECUTIONS),
        max_events: Some(300),
        setup: setup(path),
        properties: [Property::Assertion, Property::Deadlock, Property::DataRace].into(),
        ..Options::default()
    };
    let report = check(program, &options, &Unobserved)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        .report;
    let place = |f: &selvedge_report::FindingReport| {
        let kind = f.finding.kind.name();
        let line = match kind {
            "assertion" => f.finding.location.line,
            _ => 0,
        };
        (kind, line)
    };
    let limited = report.reasons.iter().any(|reason| reason.limit.is_some());
    let statistics = &report.statistics;
    (!limited).then(|| {
        let seen = Seen {
            verdict: report.verdict,
            found: report.findings.iter().map(place).collect(),
        };
        (seen, statistics.events)
    })
}

fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("awaits");
    std::fs::create_dir_all(&folder).expect("the temporary directory is writable");
    let path = folder.join(format!("{seed}.c"));
    std::fs::write(&path, generate::program(seed)).expect("the temporary directory is writable");
    let program = setup(&path).load().map_err(|e| format!("{e}"))?;
    let on = seen(&path, &program, Strategy::Unfold, true);
    let off = seen(&path, &program, Strategy::Unfold, false);
    let states = seen(&path, &program, Strategy::Stateful, false);
    let Some((on, after)) = on else {
        counts.too_large += 1;
        return match off {
            Some(_) => Err("it is too large only with awaits".to_owned()),
            None => Ok(()),
        };
    };
    // Beside a data race, plain accesses are not interleaved in all ways, and which assertions fail
    // differs.
    let races = |seen: &Seen| seen.found.iter().any(|found| found.0 == "data-race");
    if let Some((states, _)) = &states
        && *states != on
        && !(races(states) && races(&on) && states.verdict == on.verdict)
    {
        return Err(format!("by states: {states:?}, with awaits: {on:?}"));
    }
    let Some((off, before)) = off.or_else(|| states.map(|(seen, _)| (seen, after))) else {
        counts.too_large += 1;
        return Ok(());
    };
    if off != on {
        return Err(format!("without: {off:?}, with: {on:?}"));
    }
    counts.compared += 1;
    counts.fewer += u32::from(after < before);
    counts.off += before;
    counts.on += after;
    for (kind, _) in on.found {
        *counts.by_kind.entry(kind).or_default() += 1;
    }
    Ok(())
}

fn main() {
    let chosen = std::env::var("SELVEDGE_AWAITS_SEEDS").ok();
    let seeds = chosen.as_deref().map_or(SEEDS, |text| {
        let (from, to) = text.split_once("..").expect("FROM..TO");
        let number = |n: &str| n.trim().parse().expect("a number");
        number(from)..number(to)
    });
    let keep = std::env::var_os("SELVEDGE_AWAITS_KEEP").is_some();
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
    assert!(counts.fewer * 5 > counts.compared, "threads are hardly held");
    assert!(counts.on < counts.off, "holding threads saves nothing");
    for kind in ["assertion", "data-race", "liveness.spin"] {
        assert!(counts.by_kind.contains_key(kind), "no {kind}");
    }
}
