//! What the comparisons on random C programs have in common: which seeds are tried, the program of
//! a seed, and what of a report is compared.
//!
//! `NAME=FROM..TO` in the environment runs other seeds; `NAME_KEEP=1` goes on after a failure and
//! shows all of them.

use selvedge_base::usual_or_long;
use selvedge_frontend::Loaded;
use selvedge_model::Verdict;
use selvedge_report::{FindingReport, RunReport};
use selvedge_session::{Options, Setup};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The verdict, and the kinds and lines of what was found. Where threads are blocked is left out:
/// it depends on what else was explored.
#[derive(PartialEq, Eq, Debug)]
pub struct Seen {
    pub verdict: Verdict,
    pub found: BTreeSet<(&'static str, u32)>,
}

impl Seen {
    pub fn of(report: &RunReport) -> Seen {
        let place = |f: &FindingReport| {
            let kind = f.finding.kind.name();
            let line = match kind {
                "assertion" => f.finding.location.line,
                _ => 0,
            };
            (kind, line)
        };
        Seen {
            verdict: report.verdict,
            found: report.findings.iter().map(place).collect(),
        }
    }
}

/// The options that all explorations of a program have in common.
pub fn setup(path: &Path) -> Setup {
    let mut setup = Options::default().setup;
    setup.inputs = vec![path.to_owned()];
    setup.vm.max_steps = 20_000;
    setup
}

/// Writes a program to the temporary directory.
pub fn written(folder: &str, name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).expect("the temporary directory is writable");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the temporary directory is writable");
    path
}

/// Writes a program and reads it in.
pub fn load(folder: &str, name: &str, text: &str) -> Result<(PathBuf, Loaded), String> {
    let path = written(folder, &format!("{name}.c"), text);
    let program = setup(&path)
        .load()
        .map_err(|e| format!("{}: {e}", path.display()))?;
    Ok((path, program))
}

/// The seeds in the environment, if there are some.
pub fn chosen(name: &str) -> Option<Range<u64>> {
    let text = std::env::var(name).ok()?;
    let (from, to) = text.split_once("..").expect("FROM..TO");
    let number = |n: &str| n.trim().parse().expect("a number");
    Some(number(from)..number(to))
}

/// Compares the programs of all seeds: those in the environment, or else these, and three times as
/// many with `SELVEDGE_LONG`. Returns what was counted.
///
/// # Panics
/// If a comparison fails.
pub fn all<C: Default + std::fmt::Debug>(
    name: &str,
    seeds: Range<u64>,
    mut compare: impl FnMut(u64, &mut C) -> Result<(), String>,
) -> C {
    let keep = std::env::var_os(format!("{name}_KEEP")).is_some();
    let (mut counts, mut failures) = (C::default(), Vec::new());
    let all = (seeds.end - seeds.start) * usual_or_long(1, 3);
    for seed in chosen(name).unwrap_or(seeds.start..seeds.start + all) {
        if let Err(message) = compare(seed, &mut counts) {
            println!("seed {seed}: {message}");
            failures.push(seed);
            if !keep {
                break;
            }
        }
    }
    println!("{counts:?}");
    assert!(failures.is_empty(), "the comparison failed: {failures:?}");
    counts
}
