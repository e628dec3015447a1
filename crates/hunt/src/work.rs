//! The work of one process: the programs for a range of seeds, in batches.

use crate::compare::{Disagreement, compare, words};
use crate::generate;
use crate::print::alone;
use crate::product::{Batch, Said, Way, optimised_ways, ways};
use crate::program::Program;
use crate::shrink::shrink;
use crate::spins::Spins;
use crate::step::Allowed;
use crate::truth::{Stranded, Truth, truth};
use anyhow::Result;
use selvedge_model::Verdict;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Number of programs that are compiled together.
const BATCH: usize = 32;
/// Programs with more states than this are skipped.
pub const MAX_STATES: usize = 5_000;

/// Whether the product has `--weak-cas-failures`. Without this option, it lets a weak
/// compare-exchange fail only if the values differ.
pub const WEAK_OPTION: bool = true;

/// Settings of the hunt, in addition to the seeds.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The directory for output files.
    pub directory: PathBuf,
}

/// Numbers of programs and runs, by result.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Counts(pub BTreeMap<String, u64>);

impl Counts {
    /// Adds `n` to a counter.
    pub fn add(&mut self, name: &str, n: u64) {
        *self.0.entry(name.to_owned()).or_default() += n;
    }
}

/// A program with its expected results.
pub struct Case {
    pub seed: u64,
    pub program: Program,
    pub allowed: Allowed,
    pub truth: Truth,
}

impl Case {
    /// The case for a seed. `None` if the program has too many states, or does something that the
    /// enumerator does not model.
    pub fn new(seed: u64) -> Option<Case> {
        let program = generate::program(seed);
        let allowed = Allowed {
            spurious_wakeups: seed.is_multiple_of(2),
            weak_failures: WEAK_OPTION && !seed.is_multiple_of(3),
            timeouts: !seed.is_multiple_of(16),
        };
        let truth = truth(&program, allowed, MAX_STATES)?;
        Some(Case {
            seed,
            program,
            allowed,
            truth,
        })
    }

    /// The ways to check the program at a level of optimisation.
    pub fn ways(&self, level: u8) -> Vec<Way> {
        let mut all = if level == 0 {
            ways(self.seed, self.truth.endless)
        } else {
            optimised_ways(self.seed, level, self.truth.endless)
        };
        for way in &mut all {
            way.options.extend(options(self.allowed));
        }
        all
    }
}

/// The options that tell the product what may happen.
fn options(allowed: Allowed) -> Vec<String> {
    let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
    let mut words = vec!["--spurious-wakeups".to_owned(), switch(allowed.spurious_wakeups)];
    if WEAK_OPTION {
        words.extend(["--weak-cas-failures".to_owned(), switch(allowed.weak_failures)]);
    }
    if !allowed.timeouts {
        words.extend(["--timeouts".to_owned(), switch(false)]);
    }
    words
}

/// Receives progress.
pub trait Listener {
    /// A run begins.
    fn begins(&mut self, seed: u64, way: &Way);
    /// A run returned no decision.
    fn leaves_open(&mut self, _case: &Case, _way: &Way, _reason: &str) {}
    /// A disagreement was found.
    fn disagrees(&mut self, case: &Case, way: &Way, disagreement: &Disagreement);
}

/// Checks the programs of a range of seeds.
///
/// # Errors
/// If a batch of programs does not compile.
pub fn hunt(
    seeds: impl Iterator<Item = u64>,
    settings: &Settings,
    counts: &mut Counts,
    listener: &mut dyn Listener,
) -> Result<()> {
    let mut waiting = Vec::new();
    for seed in seeds {
        match Case::new(seed) {
            Some(case) => waiting.push(case),
            None => counts.add("programs left out", 1),
        }
        if waiting.len() == BATCH {
            batch(&std::mem::take(&mut waiting), settings, counts, listener)?;
        }
    }
    batch(&waiting, settings, counts, listener)
}

fn batch(
    cases: &[Case],
    settings: &Settings,
    counts: &mut Counts,
    listener: &mut dyn Listener,
) -> Result<()> {
    for case in cases {
        counts.add("programs", 1);
        counts.add("states", case.truth.states as u64);
        let truth = &case.truth;
        counts.add(
            "programs without a fault",
            u64::from(truth.wrong.is_empty() && truth.stranded == Stranded::No && truth.spins == Spins::No),
        );
        counts.add("programs with races", u64::from(truth.races()));
        counts.add("programs without an end", u64::from(truth.endless));
        counts.add(
            "programs with threads that go round for ever",
            u64::from(truth.spins == Spins::Certainly),
        );
        counts.add(
            "programs with stranded threads",
            u64::from(truth.stranded == Stranded::Certainly),
        );
    }
    level(cases, 0, settings, counts, listener)?;
    // Every fourth batch is compiled with optimisation too. This takes only programs whose
    // behaviour C defines.
    let Some(first) = cases.first() else {
        return Ok(());
    };
    if !(first.seed / BATCH as u64).is_multiple_of(4) {
        return Ok(());
    }
    let defined: Vec<Case> = cases
        .iter()
        .filter(|c| !c.truth.undefined())
        .map(Case::copy)
        .collect();
    if defined.is_empty() {
        return Ok(());
    }
    let optimisation = 1 + (first.seed / (4 * BATCH as u64) % 2) as u8;
    level(&defined, optimisation, settings, counts, listener)
}

fn level(
    cases: &[Case],
    level: u8,
    settings: &Settings,
    counts: &mut Counts,
    listener: &mut dyn Listener,
) -> Result<()> {
    if cases.is_empty() {
        return Ok(());
    }
    let programs: Vec<Program> = cases.iter().map(|c| c.program.clone()).collect();
    let batch = Batch::new(&programs, level, &settings.directory)?;
    for (k, case) in cases.iter().enumerate() {
        for way in case.ways(level) {
            listener.begins(case.seed, &way);
            let said = run(&batch, k, &case.program, &way);
            if let Some(reason) = count(counts, &way, case, &said) {
                listener.leaves_open(case, &way, &reason);
            }
            if let Some(disagreement) = compare(&case.truth, &way, &said) {
                listener.disagrees(case, &way, &disagreement);
            }
        }
    }
    Ok(())
}

impl Case {
    fn copy(&self) -> Case {
        Case {
            seed: self.seed,
            program: self.program.clone(),
            allowed: self.allowed,
            truth: self.truth.clone(),
        }
    }
}

fn run(batch: &Batch, k: usize, program: &Program, way: &Way) -> Result<Said, String> {
    let check = || batch.check(k, program, way);
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|_| Err("panic".to_owned()))
}

/// Counts a run. Returns the name of its counter if the verdict is unknown.
fn count(counts: &mut Counts, way: &Way, case: &Case, said: &Result<Said, String>) -> Option<String> {
    counts.add("runs", 1);
    counts.add(&format!("runs at -O{}", way.level), 1);
    let Ok(said) = said else {
        counts.add("runs without a report", 1);
        return None;
    };
    let truth = match (
        words(&case.truth, way).is_empty(),
        case.truth.stranded != Stranded::No || case.truth.spins != Spins::No,
    ) {
        (false, _) => "faulty",
        (true, true) => "stranding",
        (true, false) => "correct",
    };
    let verdict = match said.verdict {
        Verdict::Verified => "true",
        Verdict::Violated => "false",
        Verdict::Unknown => "unknown",
    };
    counts.add(&format!("verdict of {truth} programs: {verdict}"), 1);
    (said.verdict == Verdict::Unknown).then(|| {
        let endless = if case.truth.endless { "endless" } else { "ending" };
        let strategy = way.options.iter().skip_while(|o| *o != "--strategy").nth(1);
        let strategy = strategy.map_or("default", String::as_str);
        let first = said.reasons.first().map_or("none", String::as_str);
        let name = format!("unknown, {endless}, {strategy}: {first}");
        counts.add(&name, 1);
        name
    })
}

/// A smaller program with the same class of disagreement, when checked in the same way.
pub fn shrunk(case: &Case, way: &Way, class: &str, directory: &Path) -> Program {
    let mut test = |program: &Program| {
        let Some(truth) = truth(program, case.allowed, MAX_STATES) else {
            return false;
        };
        if way.level > 0 && truth.undefined() {
            return false;
        }
        // A program that does not compile shows no disagreement.
        let Ok(batch) = Batch::new(std::slice::from_ref(program), way.level, directory) else {
            return false;
        };
        let said = run(&batch, 0, program, way);
        compare(&truth, way, &said).is_some_and(|d| d.class == class)
    };
    let mut start = case.program.clone();
    start.number();
    shrink(&start, &mut test, 400)
}

/// The text of a program, with the expected results.
pub fn described(case: &Case, program: &Program, way: &Way, class: &str) -> String {
    let mut text = format!(
        "// {class}\n// seed {}; selvedge check {}\n",
        case.seed,
        way.name()
    );
    if let Some(truth) = truth(program, case.allowed, MAX_STATES) {
        let what = match truth.stranded {
            Stranded::No => "",
            Stranded::Perhaps => "; perhaps threads are stranded",
            Stranded::Certainly => "; threads are stranded",
        };
        text += &format!(
            "// expected: {:?}{what}; {} states\n",
            words(&truth, way),
            truth.states
        );
    }
    let printed = alone(program);
    let numbers = printed.lines[0].iter().enumerate();
    let lines: Vec<String> = numbers
        .map(|(id, line)| format!("@{id}: line {}", line + 4))
        .collect();
    text + &format!("// {}\n", lines.join(", ")) + &printed.text
}
