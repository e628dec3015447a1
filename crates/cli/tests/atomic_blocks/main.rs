//! Atomic blocks that depend on their class of memory only, against all states by brute force,
//! where all of them have one class.
//!
//! For each random program `dpor`, `unfold` and `stateful` must report the same faults and
//! deadlocks, `dpor` also the same final states, and a race if there is one; or they must have
//! noticed that a block left its class. `SELVEDGE_ATOMIC_BLOCKS=FROM..TO` runs other seeds.

mod generate;
#[allow(dead_code, reason = "this test uses a part of the oracle")]
#[path = "../random_programs/oracle.rs"]
mod oracle;

use oracle::Truth;
use selvedge_explore::Config;
use selvedge_frontend as frontend;
use selvedge_ir::Module;
use selvedge_session::{Options as Asked, Strategy, Unobserved};
use selvedge_vm::{Options, Program, Visibility, Vm};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The seeds that are always tried.
const SEEDS: Range<u64> = 0..220;
/// Programs with more states than this are left out.
const MAX_STATES: usize = 4_000;
/// Explorations of more executions than this are left out.
const MAX_EXECUTIONS: u64 = 3_000;

#[derive(Default, Debug)]
struct Counts {
    compared: u64,
    too_large: u64,
    with_races: u64,
    with_faults: u64,
    /// Programs with several classes, and such in which some block left its class.
    several_classes: u64,
    strayed: u64,
    /// Programs with memory that only blocks are expected to touch, and such with scratch variables
    /// in registers.
    only: u64,
    scratch: u64,
    /// Executions of `dpor` under visibility `memory`, with one class and with several.
    executions: [u64; 2],
}

fn main() {
    let chosen = std::env::var("SELVEDGE_ATOMIC_BLOCKS").ok();
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
        assert!(
            counts.compared > 2 * counts.too_large,
            "most programs are too large"
        );
        assert!(counts.several_classes > 20 && counts.strayed > 2);
        assert!(counts.only > 20 && counts.scratch > 10);
        assert!(counts.with_races > 20 && counts.with_faults > 10);
        let [one, several] = counts.executions;
        assert!(several < one, "classes save nothing");
    }
}

/// Where the program of a seed lies.
fn path(seed: u64) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("blocks-{seed}.c"))
}

fn prepare(module: &Module, visibility: Visibility, classes: bool) -> Arc<Program> {
    let blocks = classes.then(|| selvedge_session::block_classes(module, "main"));
    let options = Options {
        visibility,
        fingerprints: true,
        max_steps: 100_000,
        blocks: blocks.flatten(),
        ..Options::default()
    };
    Program::new(module.clone(), options).unwrap_or_else(|e| panic!("{e}"))
}

fn check(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let (text, with_input) = generate::program(seed);
    let stops = text.contains("; __VERIFIER_assume(") || text.contains("_Exit(");
    let path = path(seed);
    std::fs::write(&path, text).map_err(|e| e.to_string())?;
    let loaded = frontend::load(std::slice::from_ref(&path), &frontend::Options::default())
        .map_err(|e| e.to_string())?;
    let module = &loaded.module;
    let one = prepare(module, Visibility::Memory, false);
    let truth = oracle::all_states(&one, Vm::new, MAX_STATES);
    let before = oracle::explored(&one, oracle::fusing, true, 1, MAX_EXECUTIONS);
    let (Some(mut truth), Some((before, before_report))) = (truth, before) else {
        counts.too_large += 1;
        return Ok(());
    };
    // Brute force sees no races of blocks, which are no accesses.
    truth.race = truth.race.or(before.race);
    counts.compared += 1;
    counts.with_races += u64::from(truth.race.is_some());
    counts.with_faults += u64::from(!truth.faults.is_empty());
    let classes = prepare(module, Visibility::Memory, true);
    let numbers = classes.options.blocks.iter();
    let numbers: BTreeSet<_> = numbers
        .flat_map(|b| b.begins.values().chain(b.functions.values()))
        .collect();
    counts.several_classes += u64::from(numbers.len() > 1);
    let blocks = classes.options.blocks.as_ref();
    counts.only += u64::from(blocks.is_some_and(|blocks| !blocks.only.is_empty()));
    let mut strays = false;
    for visibility in [Visibility::Memory, Visibility::Sync] {
        let program = prepare(module, visibility, true);
        let all = visibility == Visibility::Memory;
        let about = |what: &str, message| format!("{visibility:?}, {what}: {message}");
        for sleep_sets in [true, false] {
            let Some((said, report)) =
                oracle::explored(&program, oracle::fusing, sleep_sets, 1, MAX_EXECUTIONS)
            else {
                continue;
            };
            if program.has_strayed() {
                if !said.unknown {
                    return Err(about(
                        "dpor",
                        "nobody says that a block left its class".to_owned(),
                    ));
                }
                strays = true;
                break;
            }
            // Where a thread stops within a block, who is blocked by that depends on classes.
            let exact = all && !with_input && !stops && truth.faults.is_empty();
            same(&truth, &said, all, exact).map_err(|m| about("dpor", m))?;
            if all && sleep_sets {
                counts.executions[0] += before_report.statistics.executions;
                counts.executions[1] += report.statistics.executions;
            }
        }
        let program = prepare(module, visibility, true);
        for cutoffs in [true, false] {
            let config = Config {
                cutoffs,
                max_executions: Some(MAX_EXECUTIONS),
                ..oracle::config()
            };
            let said = oracle::unfolded(&program, &config, false);
            if program.has_strayed() {
                strays = true;
                break;
            }
            if let Some((said, _)) = said {
                same(&truth, &said, all, false).map_err(|m| about("unfold", m))?;
            }
        }
    }
    counts.strayed += u64::from(strays);
    sessions(&loaded, &path, &truth, seed)?;
    let options = frontend::Options {
        scratch_registers: true,
        ..frontend::Options::default()
    };
    let rewritten = frontend::load(std::slice::from_ref(&path), &options).map_err(|e| e.to_string())?;
    if rewritten.module.functions == loaded.module.functions {
        return Ok(());
    }
    counts.scratch += 1;
    in_registers(&rewritten.module, &truth, with_input || stops)
        .map_err(|m| format!("with scratch registers: {m}"))?;
    sessions(&rewritten, &path, &truth, seed).map_err(|m| format!("with scratch registers: {m}"))
}

/// A program whose scratch variables are in registers does what it did before. Its memory differs.
fn in_registers(module: &Module, truth: &Truth, with_other_outputs: bool) -> Result<(), String> {
    let program = prepare(module, Visibility::Memory, false);
    if let Some(now) = oracle::all_states(&program, Vm::new, MAX_STATES) {
        let now = Truth {
            race: truth.race,
            ..now
        };
        same(truth, &now, true, false)?;
        if !with_other_outputs && now.outputs() != truth.outputs() {
            return Err("other outputs".to_owned());
        }
    }
    let Some((said, _)) = oracle::explored(&program, oracle::fusing, true, 1, MAX_EXECUTIONS) else {
        return Ok(());
    };
    same(truth, &said, true, false)
}

/// What whole sessions say, which begin anew with one class if a block leaves its class.
fn sessions(loaded: &frontend::Loaded, path: &Path, truth: &Truth, seed: u64) -> Result<(), String> {
    let strategies = [Strategy::Stateful, Strategy::Dpor, Strategy::Unfold];
    let strategy = strategies[(seed % 6) as usize / 2];
    for strategy in [Strategy::Stateful, strategy] {
        let mut options = Asked {
            strategy: Some(strategy),
            stop: selvedge_explore::Stop::Never,
            visibility: [
                selvedge_session::Visibility::Auto,
                selvedge_session::Visibility::Memory,
            ][seed as usize % 2],
            ..Asked::default()
        };
        options.setup.inputs = vec![path.to_owned()];
        options.setup.vm.max_steps = 100_000;
        let checked = selvedge_session::check(loaded, &options, &Unobserved).map_err(|e| e.to_string())?;
        let found = &checked.report.findings;
        let race = found.iter().any(|f| f.finding.kind.name() == "data-race");
        if truth.race.is_some() != race && (race || truth.faults.is_empty()) {
            return Err(format!("{strategy:?} says race: {race}, of {:?}", truth.race));
        }
        let is_wrong = !truth.faults.is_empty() || truth.race.is_some() || truth.stuck || truth.partial;
        if is_wrong && found.is_empty() {
            return Err(format!("{strategy:?} finds nothing, and there is {truth:?}"));
        }
        if !truth.unknown && truth.race.is_none() {
            let known = |f: &&selvedge_report::FindingReport| {
                let (kind, line) = (f.finding.kind.name(), f.finding.location.line);
                kind == "data-race" || truth.faults.contains(&(kind, line))
            };
            if let Some(invented) = found.iter().find(|f| !known(f)) {
                return Err(format!("{strategy:?} invents {:?}", invented.finding.kind));
            }
            let seen: BTreeSet<_> = found
                .iter()
                .map(|f| (f.finding.kind.name(), f.finding.location.line))
                .collect();
            if let Some(missed) = truth.faults.iter().find(|fault| !seen.contains(fault)) {
                return Err(format!("{strategy:?} misses {missed:?}"));
            }
        }
    }
    Ok(())
}

/// What is said agrees with all states. `all`: each access was a scheduling point; else a race
/// stands for everything that it makes possible. `exact`: final states are compared, too.
fn same(truth: &Truth, said: &Truth, all: bool, exact: bool) -> Result<(), String> {
    if truth.race.is_some() != said.race.is_some() && (all || said.faults.is_empty()) {
        return Err(format!("a race of lines {:?} and {:?}", truth.race, said.race));
    }
    if !all && (truth.race.is_some() || said.race.is_some()) {
        return Ok(());
    }
    // Where an execution ends at a fault, what the others would have done is not explored by all.
    let missed = truth.faults.difference(&said.faults).next();
    let invented = said.faults.difference(&truth.faults).next();
    if let Some(invented) = invented {
        return Err(format!("invented: {invented:?}"));
    }
    if let Some(missed) = missed
        && (exact || said.faults.is_empty())
    {
        return Err(format!("missed: {missed:?}"));
    }
    if exact && truth.ends != said.ends {
        let missed = truth.ends.difference(&said.ends).count();
        let invented = said.ends.difference(&truth.ends).count();
        return Err(format!("final states: {missed} missed, {invented} invented"));
    }
    if truth.unknown && !said.unknown {
        return Err("something unsupported was missed".to_owned());
    }
    Ok(())
}
