//! Threads that take the place of joined ones (`vm/src/machine/state/again.rs`), against all states
//! by brute force, where each thread has a place of its own.
//!
//! For each random program, `unfold` and `stateful` with places used again must report the same
//! faults and deadlocks, and a race if there is one. The machine that uses places again must have
//! the same final states. `SELVEDGE_BEGUN_AGAIN=FROM..TO` runs other seeds.

mod generate;
#[allow(dead_code, reason = "this test uses a part of the oracle")]
#[path = "../random_programs/oracle.rs"]
mod oracle;

use oracle::Truth;
use selvedge_frontend as frontend;
use selvedge_ir::Module;
use selvedge_model::Verdict;
use selvedge_session::{Options as Asked, Strategy, Unobserved};
use selvedge_vm::{Options, Program, Visibility, Vm};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The seeds that are always tried.
const SEEDS: Range<u64> = 0..150;
/// Programs with more states than this are left out.
const MAX_STATES: usize = 8_000;
/// Explorations of more executions than this are left out.
const MAX_EXECUTIONS: u64 = 4_000;

#[derive(Default, Debug)]
struct Counts {
    compared: u64,
    too_large: u64,
    with_races: u64,
    with_faults: u64,
    stuck: u64,
    clean: u64,
    /// Programs that have fewer states where places are used again.
    fewer: u64,
}

fn main() {
    let chosen = std::env::var("SELVEDGE_BEGUN_AGAIN").ok();
    let seeds = chosen.as_deref().map_or(SEEDS, |text| {
        let (from, to) = text.split_once("..").expect("FROM..TO");
        let number = |n: &str| n.trim().parse().expect("a number");
        number(from)..number(to)
    });
    let mut counts = Counts::default();
    let mut failed = Vec::new();
    for seed in seeds {
        if let Err(message) = check(seed, &mut counts) {
            println!("seed {seed}: {message} ({})", path(seed).display());
            failed.push(seed);
        }
    }
    println!("{counts:?}");
    assert!(failed.is_empty(), "failures: {failed:?}");
    if chosen.is_none() {
        assert!(counts.compared > counts.too_large, "most programs are too large");
        assert!(counts.with_races > 10 && counts.with_faults > 10 && counts.clean > 10);
    }
}

/// Where the program of a seed lies.
fn path(seed: u64) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("again-{seed}.c"))
}

fn prepare(module: &Module, quarantine: Option<u32>) -> Arc<Program> {
    let options = Options {
        visibility: Visibility::Memory,
        fingerprints: true,
        max_steps: 100_000,
        quarantine,
        ..Options::default()
    };
    Program::new(module.clone(), options).unwrap_or_else(|e| panic!("{e}"))
}

fn check(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let path = path(seed);
    std::fs::write(&path, generate::program(seed)).map_err(|e| e.to_string())?;
    let loaded = frontend::load(std::slice::from_ref(&path), &frontend::Options::default())
        .map_err(|e| e.to_string())?;
    let apart = prepare(&loaded.module, None);
    let truth = oracle::all_states(&apart, Vm::new, MAX_STATES);
    let explored = oracle::explored(&apart, oracle::fusing, true, 1, MAX_EXECUTIONS);
    let (Some(mut truth), Some((explored, _))) = (truth, explored) else {
        counts.too_large += 1;
        return Ok(());
    };
    // By happens-before there are more races than those of two accesses side by side.
    truth.race = truth.race.or(explored.race);
    counts.compared += 1;
    counts.with_races += u64::from(truth.race.is_some());
    counts.with_faults += u64::from(!truth.faults.is_empty());
    counts.stuck += u64::from(truth.stuck || truth.partial);
    counts.clean += u64::from(truth.race.is_none() && truth.faults.is_empty() && !truth.stuck);
    let again = prepare(&loaded.module, Some(0));
    if let Some(again) = oracle::all_states(&again, Vm::new, MAX_STATES) {
        if truth.outputs() != again.outputs() || truth.stuck != again.stuck {
            return Err("other outputs where places are used again".to_owned());
        }
        counts.fewer += u64::from(again.states < truth.states);
        let hidden = |fault: &&(&str, u32)| !again.faults.contains(fault) && !is_misuse(fault.0);
        if let Some(hidden) = truth.faults.iter().find(hidden) {
            return Err(format!("hidden where places are used again: {hidden:?}"));
        }
    }
    for strategy in [Strategy::Stateful, Strategy::Unfold] {
        for quarantine in [0, 2] {
            session(&loaded, &path, &truth, (strategy, quarantine, seed))
                .map_err(|m| format!("{strategy:?} with {quarantine}: {m}"))?;
        }
    }
    Ok(())
}

/// Whether a fault is what the use of dead memory and of threads that do not exist is called: that
/// may be hidden.
fn is_misuse(kind: &str) -> bool {
    let hidden = [
        "memory.use-after-free",
        "memory.use-after-scope",
        "memory.double-free",
        "pthread.join-twice",
        "pthread.detach-twice",
        "pthread.invalid-thread",
    ];
    hidden.contains(&kind)
}

/// What a whole session says that uses places again.
fn session(
    loaded: &frontend::Loaded,
    path: &Path,
    truth: &Truth,
    (strategy, quarantine, seed): (Strategy, u32, u64),
) -> Result<(), String> {
    let mut options = Asked {
        strategy: Some(strategy),
        stop: selvedge_explore::Stop::Never,
        visibility: [
            selvedge_session::Visibility::Auto,
            selvedge_session::Visibility::Memory,
        ][seed as usize % 2],
        quarantine: Some(quarantine),
        ..Asked::default()
    };
    options.setup.inputs = vec![path.to_owned()];
    options.setup.vm.max_steps = 100_000;
    let checked = selvedge_session::check(loaded, &options, &Unobserved).map_err(|e| e.to_string())?;
    let found = &checked.report.findings;
    let race = found.iter().any(|f| f.finding.kind.name() == "data-race");
    if truth.race.is_some() != race && (race || truth.faults.is_empty()) {
        return Err(format!("says race: {race}, of {:?}", truth.race));
    }
    let is_wrong = truth.faults.iter().any(|(kind, _)| !is_misuse(kind))
        || truth.race.is_some()
        || truth.stuck
        || truth.partial;
    if is_wrong && found.is_empty() {
        return Err(format!("finds nothing, and there is {truth:?}"));
    }
    if checked.report.verdict == Verdict::Unknown && !truth.unknown && truth.faults.is_empty() {
        return Err(format!("unknown: {:?}", checked.report.reasons));
    }
    if truth.unknown || truth.race.is_some() {
        return Ok(());
    }
    let seen: BTreeSet<_> = found
        .iter()
        .map(|f| (f.finding.kind.name(), f.finding.location.line))
        .collect();
    if let Some(missed) = truth
        .faults
        .iter()
        .find(|fault| !seen.contains(fault) && !is_misuse(fault.0))
    {
        return Err(format!("misses {missed:?}"));
    }
    Ok(())
}
