//! Random C programs, checked in every way there is, against all their states by brute force and
//! against the real thing.
//!
//! For each program: `dpor` under visibility `memory`, with and without sleep sets and with two
//! workers, must report exactly the faults (kind and line), deadlocks and final states that brute
//! force finds. Visibility `sync` must report a race if two accesses can be pending at once, and
//! otherwise find exactly the same faults, deadlocks and outputs. A correct program, run natively,
//! may print only what some execution of the model prints. `unfold`, with and without cutoffs, must
//! say the same under both. Every second program also passes blocks of memory on, and what it loses
//! must be what brute force says, at every state.
//!
//! `SELVEDGE_RANDOM_PROGRAMS=FROM..TO` runs other seeds; `SELVEDGE_RANDOM_PROGRAMS_KEEP=1` goes on
//! after a failure.

mod additions;
mod generate;
mod losing;
mod native;
mod oracle;

use oracle::Truth;
use selvedge_base::usual_or_long;
use selvedge_explore::unfold::Partial;
use selvedge_explore::{Config, Order, Report};
use selvedge_frontend as frontend;
use selvedge_ir::Module;
use selvedge_vm::{Options, Program, Visibility, Vm};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The seeds that are always tried; three times as many with `SELVEDGE_LONG`.
const SEEDS: Range<u64> = 0..70;
/// Seeds that once showed a mistake, tried with those. 680: a join that a detach lets pass, and the
/// thread's end would, too. 108, 387: what a jump buffer keeps depended on whether the thread's
/// start was gone back over before. 4933: a thread could also be created before its handle is read,
/// where it was after.
const NOTED: [u64; 4] = [680, 108, 387, 4933];
/// Programs whose threads add to the same variables have seeds from here on.
const ADDING: u64 = 1_000_000;
/// Programs with more states than this are left out.
const MAX_STATES: usize = 20_000;
/// Explorations of more executions than this are left out.
const MAX_EXECUTIONS: u64 = 20_000;

/// What became of the programs.
#[derive(Default, Debug)]
struct Counts {
    compared: u64,
    too_large: u64,
    with_races: u64,
    with_faults: u64,
    with_deadlocks: u64,
    /// Memory is lost, or left at the end.
    losing: u64,
    leaving: u64,
    clean: u64,
    native: u64,
    /// Visibility `sync` was compared with all states.
    race_free: u64,
    /// A race by happens-before that no state shows: weak orders, and operations that tell of
    /// others without ordering.
    races_by_order_only: u64,
    explorations_too_large: u64,
    unfoldings: u64,
    /// Programs with a symbolic byte.
    with_input: u64,
    cutoffs: u64,
    states: u64,
    /// Explorations in which some variables were taken to be confined, and where that was wrong.
    confined: u64,
    wrongly_confined: u64,
    /// Explorations in which some additions commute.
    counting: u64,
}

fn main() {
    let chosen = std::env::var("SELVEDGE_RANDOM_PROGRAMS").ok();
    let usual = SEEDS.start..SEEDS.end * usual_or_long(1, 3);
    let seeds = chosen.as_deref().map_or(usual, |text| {
        let (from, to) = text
            .split_once("..")
            .unwrap_or_else(|| panic!("expected FROM..TO, not {text}"));
        let number = |n: &str| n.trim().parse().unwrap_or_else(|_| panic!("{n} is no number"));
        number(from)..number(to)
    });
    let keep = std::env::var_os("SELVEDGE_RANDOM_PROGRAMS_KEEP").is_some();
    let noted = if chosen.is_none() { &NOTED[..] } else { &[] };
    println!("seeds {seeds:?} {noted:?}");
    let mut counts = Counts::default();
    let mut failures: BTreeMap<u64, String> = BTreeMap::new();
    let adding = ADDING
        ..ADDING
            + if chosen.is_none() {
                usual_or_long(60, 400)
            } else {
                0
            };
    for seed in seeds.chain(noted.iter().copied()).chain(adding) {
        let checked = catch_unwind(AssertUnwindSafe(|| check(seed, &mut counts)));
        if let Err(message) = checked.unwrap_or_else(|_| Err("panic".to_owned())) {
            println!("seed {seed}: {message}");
            failures.insert(seed, message);
            if !keep {
                break;
            }
        }
    }
    println!("{counts:?}");
    if !failures.is_empty() {
        println!("failures: {:?}", failures.keys().collect::<Vec<_>>());
        std::process::exit(1);
    }
    assert!(counts.compared > counts.too_large, "most programs are too large");
    assert!(
        chosen.is_some() || counts.confined > 20,
        "no variables are confined"
    );
    assert!(chosen.is_some() || counts.counting > 20, "no additions commute");
}

/// Where the program of a seed lies.
fn path(seed: u64) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("random-{seed}.c"))
}

/// Whether waits end and weak compare-exchanges fail without cause in the program of a seed.
fn fails_without_cause(seed: u64) -> bool {
    seed % 4 == 2 && !NOTED.contains(&seed)
}

/// The program with weak compare-exchanges instead of strong ones, half of them in loops.
fn weak(text: &str) -> String {
    let strong = "if (!atomic_compare_exchange_strong_explicit(";
    let weak = ["if", "while"].map(|word| format!("{word} (!atomic_compare_exchange_weak_explicit("));
    let mut parts = text.split(strong);
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for (number, part) in parts.enumerate() {
        changed += &weak[number % 2];
        changed += part;
    }
    changed
}

fn prepare(module: Arc<Module>, visibility: Visibility, fingerprints: bool, seed: u64) -> Arc<Program> {
    let options = Options {
        leaks: seed % 2 == 1,
        spurious_wakeups: fails_without_cause(seed),
        weak_failures: fails_without_cause(seed),
        visibility,
        fingerprints,
        max_steps: 100_000,
        ..Options::default()
    };
    Program::new(module, options).unwrap_or_else(|e| panic!("{e}"))
}

fn check(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let mut program = match seed >= ADDING {
        true => additions::program(seed),
        false => generate::program(seed),
    };
    if seed % 2 == 1 && seed < ADDING {
        program.text = losing::with_blocks(&program.text, seed);
    }
    if fails_without_cause(seed) {
        program.text = weak(&program.text);
    }
    let path = path(seed);
    std::fs::write(&path, &program.text).map_err(|e| e.to_string())?;
    let loaded = frontend::load(std::slice::from_ref(&path), &frontend::Options::default())
        .map_err(|e| e.to_string())?;
    let memory = prepare(loaded.module.clone(), Visibility::Memory, true, seed);
    let Some(truth) = oracle::all_states(&memory, Vm::new, MAX_STATES) else {
        counts.too_large += 1;
        return Ok(());
    };
    let sync = prepare(loaded.module.clone(), Visibility::Sync, true, seed);
    let truth_of_sync = match under_sync(&truth, &sync) {
        Some(other) => other,
        None => truth.clone(),
    };
    counts.compared += 1;
    counts.losing += u64::from(!truth.lost.is_empty());
    counts.leaving += u64::from(truth.left);
    counts.states += truth.states as u64;
    counts.with_races += u64::from(truth.race.is_some());
    counts.with_faults += u64::from(!truth.faults.is_empty());
    counts.with_deadlocks += u64::from(truth.stuck || truth.partial);
    let about = |what: &str| format!("{what} ({:?}, {})", program.themes, path.display());
    for (sleep_sets, jobs) in [(true, 1), (false, 1), (true, 2)] {
        if jobs > 1 && !seed.is_multiple_of(5) {
            continue;
        }
        let Some((said, report)) =
            oracle::explored(&memory, oracle::fusing, sleep_sets, jobs, MAX_EXECUTIONS)
        else {
            counts.explorations_too_large += 1;
            break;
        };
        let what = about(&format!("memory, sleep sets {sleep_sets}, jobs {jobs}"));
        if sleep_sets && jobs == 1 {
            same_classes(&memory, &report).map_err(|m| format!("{what}: {m}"))?;
        }
        same(&truth, &said, true).map_err(|m| format!("{what}: {m}"))?;
        race(&truth, &said, counts).map_err(|m| format!("{what}: {m}"))?;
    }
    match as_canonical(&program, &truth, &memory) {
        Some(truth) => unfold(&memory, &truth, seed, (true, false), counts)
            .map_err(|m| about(&format!("memory, {m}")))?,
        None => counts.explorations_too_large += 1,
    }
    unfold(&sync, &truth_of_sync, seed, (false, false), counts).map_err(|m| about(&format!("sync, {m}")))?;
    if seed.is_multiple_of(3) {
        with_input(&program, seed, counts)?;
    }
    for visibility in [Visibility::Memory, Visibility::Sync] {
        let jobs = 1 + usize::from(seed.is_multiple_of(7));
        let [direct, recalled] =
            oracle::reports(&prepare(loaded.module.clone(), visibility, false, seed), jobs);
        if direct != recalled {
            return Err(about(&format!(
                "{direct:?} becomes {recalled:?} where steps are recalled"
            )));
        }
    }
    let sync = prepare(loaded.module, Visibility::Sync, false, seed);
    for sleep_sets in [true, false] {
        let Some((said, report)) = oracle::explored(&sync, oracle::fusing, sleep_sets, 1, MAX_EXECUTIONS)
        else {
            counts.explorations_too_large += 1;
            break;
        };
        let what = about(&format!("sync, sleep sets {sleep_sets}"));
        // A path that ends at a fault does not get as far as its race: then the fault is what is
        // said.
        if said.faults.is_empty() {
            race(&truth, &said, counts).map_err(|m| format!("{what}: {m}"))?;
        }
        if said.race.is_none() && truth.race.is_none() {
            counts.race_free += u64::from(sleep_sets);
            if truth.freed_by_both && !said.faults.is_empty() && said.faults.is_subset(&truth.faults) {
                // Freeing is no scheduling point here: which of the two comes second is not tried
                // both ways.
                continue;
            }
            same(&truth_of_sync, &said, false).map_err(|m| format!("{what}: {m}"))?;
            if sleep_sets && clean(&truth_of_sync, &report) {
                counts.clean += 1;
                if program.native && counts.clean.is_multiple_of(3) {
                    counts.native += 1;
                    native::run(&path, &truth_of_sync).map_err(|m| format!("{}: {m}", about("native")))?;
                }
            }
        }
    }
    Ok(())
}

/// The truth under visibility `sync`, if it is another one: what is unsupported where each access
/// is visible ends a thread's path there only.
fn under_sync(truth: &Truth, sync: &Arc<Program>) -> Option<Truth> {
    if !truth.unknown_here {
        return None;
    }
    let race = truth.race;
    oracle::all_states(sync, Vm::new, MAX_STATES).map(|truth| Truth { race, ..truth })
}

/// The truth for a canonical machine, which reads strings byte by byte, not by words, since it does
/// not look at what other threads have decided on inputs: where other threads write to them
/// meanwhile, it has more outcomes. None if there are too many.
fn as_canonical(program: &generate::Program, truth: &Truth, memory: &Arc<Program>) -> Option<Truth> {
    if truth.race.is_none() || !program.themes.contains(&generate::Theme::Library) {
        return Some(truth.clone());
    }
    oracle::all_states(memory, Vm::canonical, MAX_STATES)
}

/// The same program where a number of its first thread depends on a symbolic byte: the unfolding
/// against all states.
fn with_input(program: &generate::Program, seed: u64, counts: &mut Counts) -> Result<(), String> {
    let text = program.text.replacen(
        "int r = 0, v = 3;",
        "int r = __VERIFIER_nondet_uchar() < 100, v = 3;",
        1,
    );
    let path = path(seed).with_extension("input.c");
    let text = format!("unsigned char __VERIFIER_nondet_uchar(void);\n{text}");
    std::fs::write(&path, text).map_err(|e| e.to_string())?;
    let loaded = frontend::load(std::slice::from_ref(&path), &frontend::Options::default())
        .map_err(|e| e.to_string())?;
    let memory = prepare(loaded.module.clone(), Visibility::Memory, true, seed);
    let Some(truth) = oracle::all_states(&memory, Vm::new, MAX_STATES) else {
        return Ok(());
    };
    counts.with_input += 1;
    let about = |visibility, m| format!("{visibility}, {m} ({})", path.display());
    if let Some(truth) = as_canonical(program, &truth, &memory) {
        unfold(&memory, &truth, seed, (true, true), counts).map_err(|m| about("memory", m))?;
    }
    let sync = prepare(loaded.module, Visibility::Sync, true, seed);
    let truth = under_sync(&truth, &sync).unwrap_or(truth);
    unfold(&sync, &truth, seed, (false, true), counts).map_err(|m| about("sync", m))
}

fn canonical(program: &Arc<Program>) -> Vm {
    Vm::canonical(Arc::clone(program)).unwrap_or_else(|e| panic!("{e}"))
}

/// The unfolding says the same, in some of the ways to explore it. `everything`: each access is an
/// event; `with_input`: some value is symbolic.
fn unfold(
    program: &Arc<Program>,
    truth: &Truth,
    seed: u64,
    (everything, with_input): (bool, bool),
    counts: &mut Counts,
) -> Result<(), String> {
    let orders = [Order::DepthFirst, Order::BreadthFirst, Order::Random];
    let ways = [
        (true, orders[seed as usize % 3], Partial::Last(1)),
        (false, orders[seed as usize / 3 % 3], Partial::Last(1)),
        (
            seed % 8 < 4,
            Order::DepthFirst,
            [Partial::All, Partial::Last(2)][seed as usize % 2],
        ),
    ];
    for (cutoffs, order, partial) in ways {
        let config = Config {
            cutoffs,
            order,
            partial,
            max_executions: Some(MAX_EXECUTIONS),
            ..oracle::config()
        };
        let confined = order == orders[seed as usize % 3];
        let explored = oracle::unfolded(program, &config, confined);
        counts.confined +=
            u64::from(confined && program.may_confine() > 0 && canonical(program).with_confined().confines());
        counts.counting += u64::from(canonical(program).with_counters().counts());
        counts.wrongly_confined += u64::from(program.wrongly_confined() > 0);
        let Some((said, report)) = explored else {
            counts.explorations_too_large += 1;
            continue;
        };
        let way = format!("unfold, cutoffs {cutoffs}, {order:?}, {partial:?}, confined {confined}");
        counts.unfoldings += 1;
        counts.cutoffs += report.statistics.cutoffs;
        // Where inputs are at odds, or what a thread does depends on a race, what looked like an
        // alternative turns out to be none only when it is executed.
        let follows = !with_input && (everything || truth.race.is_none());
        let exact = partial == Partial::All && !cutoffs && follows;
        if exact && report.statistics.redundant_executions > 0 {
            return Err(format!("{way}: redundant executions"));
        }
        if everything || said.faults.is_empty() {
            race(truth, &said, counts).map_err(|m| format!("{way}: {m}"))?;
        }
        if everything || said.race.is_none() && truth.race.is_none() {
            let mut said = said;
            if said.faults.is_subset(&truth.faults) && said.faults.is_empty() == truth.faults.is_empty() {
                // Where an execution ends at a fault, what the other threads would have done is not
                // explored.
                said.faults.clone_from(&truth.faults);
            }
            if cutoffs || !truth.faults.is_empty() {
                // What was printed is no part of a state; nor does a fault wait for what others
                // print.
                said.ends.clone_from(&truth.ends);
            }
            same(truth, &said, false).map_err(|m| format!("{way}: {m}"))?;
        }
    }
    Ok(())
}

/// Parts of events make no difference to the number of executions. (How many are redundant depends
/// on the order of search.)
fn same_classes(program: &Arc<Program>, fused: &Report) -> Result<(), String> {
    let Some((_, plain)) = oracle::explored(program, oracle::stepping, true, 1, u64::MAX) else {
        return Ok(());
    };
    let (plain, fused) = (plain.statistics.executions, fused.statistics.executions);
    if plain == fused {
        return Ok(());
    }
    Err(format!("{plain} executions become {fused} with parts"))
}

/// Nothing is wrong with the program.
fn clean(truth: &Truth, report: &Report) -> bool {
    report.faults.is_empty() && !truth.unknown && truth.race.is_none()
}

/// The race verdicts agree.
fn race(truth: &Truth, said: &Truth, counts: &mut Counts) -> Result<(), String> {
    match (truth.race, said.race) {
        (Some((one, two)), None) => Err(format!("missed: a race of lines {one} and {two}")),
        (None, Some(lines)) => {
            if std::env::var_os("SELVEDGE_RANDOM_PROGRAMS_KEEP").is_some() {
                println!("race by order only: {lines:?}");
            }
            counts.races_by_order_only += 1;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Whether two outputs may be the same: a value that one machine leaves open is known in the other
/// one, where another thread has decided what it is. (A canonical machine goes by what the printing
/// thread has decided.)
fn may_be(one: &str, other: &str) -> bool {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (words(one), words(other));
    let open = |word: &String| word.contains(OPEN);
    one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| a == b || open(a) || open(b))
}

/// How a value that is left open is printed.
const OPEN: &str = "<symbolic>";

/// Faults, deadlocks and ends agree; `exact`: in all of the final state.
fn same(truth: &Truth, said: &Truth, exact: bool) -> Result<(), String> {
    let missed: Vec<_> = truth.faults.difference(&said.faults).collect();
    let invented: Vec<_> = said.faults.difference(&truth.faults).collect();
    if !missed.is_empty() || !invented.is_empty() {
        return Err(format!("faults missed: {missed:?}, invented: {invented:?}"));
    }
    if (truth.stuck, truth.partial) != (said.stuck, said.partial) {
        let words = |t: &Truth| format!("stuck {}, partial {}", t.stuck, t.partial);
        return Err(format!("deadlocks: {}; said: {}", words(truth), words(said)));
    }
    let (all, found) = (truth.outputs(), said.outputs());
    if all != found {
        let missing = |from: &BTreeSet<&str>, by: &BTreeSet<&str>| -> Vec<String> {
            let missing = from
                .difference(by)
                .filter(|one| !by.iter().any(|other| may_be(one, other)));
            missing.take(4).map(|&one| one.to_owned()).collect()
        };
        let (missed, invented) = (missing(&all, &found), missing(&found, &all));
        if !missed.is_empty() || !invented.is_empty() {
            return Err(format!("outputs missed: {missed:?}, invented: {invented:?}"));
        }
    }
    if exact && truth.ends != said.ends {
        let missed = truth.ends.difference(&said.ends).count();
        let invented = said.ends.difference(&truth.ends).count();
        return Err(format!(
            "final states: {missed} missed, {invented} invented of {}",
            truth.ends.len()
        ));
    }
    leaks(truth, said)?;
    if truth.unknown && !said.unknown {
        return Err("something unsupported was missed".to_owned());
    }
    Ok(())
}

/// What is said of lost memory, and of memory that is not freed, agrees. Where executions end at
/// faults, some of it is not seen.
fn leaks(truth: &Truth, said: &Truth) -> Result<(), String> {
    let faulty = !truth.faults.is_empty();
    let missed: Vec<_> = truth.lost.difference(&said.lost).collect();
    let invented: Vec<_> = said.lost.difference(&truth.lost).collect();
    if !invented.is_empty() || !missed.is_empty() && !faulty {
        return Err(format!("lost: missed {missed:?}, invented {invented:?}"));
    }
    if said.left && !truth.left {
        return Err("invented: the process does not end before all memory is freed".to_owned());
    }
    if truth.left && !said.left && !said.left_open && !faulty {
        return Err("missed: the process may end before all memory is freed".to_owned());
    }
    Ok(())
}
