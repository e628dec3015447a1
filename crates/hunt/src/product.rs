//! The product: compiles programs and checks them in several ways, in this process.

use crate::print::{Printed, alone, several};
use crate::program::{Program, Stmt};
use crate::random::Random;
use anyhow::{Context, Result, anyhow};
use selvedge_frontend::{Loaded, Options, load};
use selvedge_model::{FaultKind, Verdict};
use selvedge_report::RunReport;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a program is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The level of optimisation. Above 0, places are not compared.
    pub level: u8,
    /// Options of `check`.
    pub options: Vec<String>,
    /// The run samples executions: a verdict `true` is wrong for every program.
    pub samples: bool,
    /// All accesses are scheduling points.
    pub memory: bool,
    /// The run ends at the first finding.
    pub first: bool,
    /// The requested properties, if not all.
    pub asked: Option<Vec<&'static str>>,
}

impl Way {
    /// The options as on a command line, after the level.
    pub fn name(&self) -> String {
        format!("-O{} {}", self.level, self.options.join(" "))
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Said {
    pub verdict: Verdict,
    pub found: BTreeSet<String>,
    /// The reasons for a verdict `unknown`.
    pub reasons: Vec<String>,
}

/// Programs that were compiled together.
pub struct Batch {
    loaded: Loaded,
    file: PathBuf,
    lines: Vec<Vec<u32>>,
    single: bool,
}

impl Batch {
    /// Compiles programs; writes files to `directory`.
    pub fn new(programs: &[Program], level: u8, directory: &Path) -> Result<Batch> {
        let single = programs.len() == 1;
        let Printed { text, lines } = if single {
            alone(&programs[0])
        } else {
            several(programs)
        };
        let file = directory.join("programs.c");
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        let quiet = Options {
            cflags: vec!["-w".to_owned()],
            poll_once: true,
            scratch_registers: true,
            ..Options::default()
        };
        let input = if level == 0 {
            file.clone()
        } else {
            optimised(&file, level)?
        };
        let loaded = load(std::slice::from_ref(&input), &quiet)
            .map_err(|error| anyhow!("{}: {error}", input.display()))?;
        Ok(Batch {
            loaded,
            file: input,
            lines,
            single,
        })
    }

    /// Checks the k-th program.
    pub fn check(&self, k: usize, program: &Program, way: &Way) -> Result<Said, String> {
        let entry = if self.single {
            "main".to_owned()
        } else {
            format!("main_{k}")
        };
        let file = self.file.display().to_string();
        let mut words = vec!["--finding", "none", "--entry", &entry];
        words.extend(way.options.iter().map(String::as_str));
        words.push(&file);
        let report = selvedge::examine(&words, &self.loaded).map_err(|code| format!("exit {code}"))?;
        Ok(said(&report, &self.lines[k], program, way))
    }
}

/// Compiles a file to bitcode with clang's optimisation passes.
fn optimised(file: &Path, level: u8) -> Result<PathBuf> {
    let output = file.with_extension("bc");
    let names = ["clang-22", "/usr/lib/llvm-22/bin/clang", "clang"];
    let run = |name: &&str| {
        let mut clang = Command::new(name);
        clang.args(["-g", "-c", "-emit-llvm", "-w", &format!("-O{level}")]);
        // Keep loops with few iterations as loops, so that polling loops among them are rewritten.
        if level == 1 {
            clang.arg("-fno-unroll-loops");
        }
        clang.arg(file).arg("-o").arg(&output).output().ok()
    };
    let done = names.iter().find_map(run).context("there is no clang")?;
    if !done.status.success() {
        return Err(anyhow!("clang: {}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(output)
}

/// The variable that a statement accesses.
fn variable(stmt: &Stmt) -> Option<String> {
    match stmt {
        Stmt::Load(_, p)
        | Stmt::Store(p, _)
        | Stmt::Add(p, _)
        | Stmt::AtomicLoad(_, p, _)
        | Stmt::AtomicStore(p, ..)
        | Stmt::AtomicRmw(_, _, p, ..)
        | Stmt::Cas(_, p, ..) => Some(format!("g{}", p.global)),
        Stmt::PutPointer(p) | Stmt::GetPointer(p) => Some(format!("p{p}")),
        Stmt::New(_) | Stmt::LoadThrough(_) | Stmt::StoreThrough(_) | Stmt::Free => Some("heap".to_owned()),
        _ => None,
    }
}

fn said(report: &RunReport, lines: &[u32], program: &Program, way: &Way) -> Said {
    let id = |line: u32| lines.iter().position(|&l| l == line);
    let found = report.findings.iter().map(|found| {
        let found = &found.finding;
        let at = id(found.location.line);
        match found.kind {
            FaultKind::DataRace => {
                let related = found.related.first().map_or(0, |r| r.location.line);
                let place = at.or_else(|| id(related));
                let stmt = place.and_then(|id| program.statement(id as u32));
                match stmt.and_then(variable) {
                    Some(name) if way.level == 0 => format!("race {name}"),
                    _ => "race".to_owned(),
                }
            }
            FaultKind::Deadlock | FaultKind::PartialDeadlock | FaultKind::LostWakeup => "deadlock".to_owned(),
            FaultKind::Spin => "spin".to_owned(),
            kind => match at {
                Some(at) if way.level == 0 => format!("{}@{at}", kind.name()),
                _ => kind.name().to_owned(),
            },
        }
    });
    Said {
        verdict: report.verdict,
        found: found.collect(),
        reasons: report.reasons.iter().map(reason).collect(),
    }
}

fn reason(reason: &selvedge_report::Reason) -> String {
    match reason.limit {
        Some(limit) => format!("limit {limit:?}"),
        None => {
            let words = reason.detail.split('`').step_by(2).collect::<Vec<_>>().join("_");
            format!("unsupported: {words}")
        }
    }
}

/// The environment variable that selects a single way of checking, by its options.
pub const ONLY: &str = "SELVEDGE_HUNT_WAY";

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A way with these options, without optimisation.
fn way(text: &str) -> Way {
    Way {
        level: 0,
        options: words(&format!("--stop never --jobs 1 {text}")),
        samples: text.contains("--strategy random") || text.contains("pct"),
        memory: text.contains("visibility"),
        first: false,
        asked: None,
    }
}

/// The ways to check a program: the default with all findings, and one or two others that depend on
/// the seed.
pub fn ways(seed: u64, endless: bool) -> Vec<Way> {
    let mut all = match std::env::var(ONLY) {
        Ok(only) => vec![way(&only)],
        Err(_) => by_seed(seed, endless),
    };
    let mut random = Random::new(seed ^ 0x7477_696e);
    for way in &mut all {
        way.options.extend(words("--max-time 2"));
        // With `auto`, the other code of the batch would prevent the search for identical threads.
        if random.one_in(2) {
            way.options.extend(words("--symmetry on"));
        }
        if endless {
            // A thread that runs alone may execute a loop without a scheduling point.
            way.options.extend(words("--unroll 500"));
        }
    }
    all
}

fn by_seed(seed: u64, endless: bool) -> Vec<Way> {
    let mut random = Random::new(seed ^ 0x7761_7973);
    let bound = if endless {
        "--max-events 150 --max-executions 400"
    } else {
        "--max-executions 30000"
    };
    let mut all = vec![way("")];
    if random.one_in(6) {
        let mut first = way("");
        first.options = words("--jobs 1");
        first.first = true;
        all.push(first);
    }
    for _ in 0..1 + usize::from(random.one_in(4)) {
        let next = match random.below(20) {
            0 | 1 => way(&format!("--strategy dpor {bound}")),
            2 => way(&format!("--strategy dpor --recall off {bound}")),
            3 => way(&format!("--strategy dpor --sleep-sets off {bound}")),
            4 | 5 => way(&format!("--visibility memory --strategy dpor {bound}")),
            6 | 7 => way("--visibility memory --strategy unfold"),
            8 if !endless => way("--visibility memory --strategy unfold --cutoffs off"),
            9 | 10 if !endless => way("--strategy unfold --cutoffs off"),
            11 => {
                let search = random.pick(&["bfs", "random", "coverage"]);
                way(&format!(
                    "--strategy unfold --search {search} --seed {}",
                    seed % 7
                ))
            }
            12 => {
                let k = random.pick(&["optimal", "2", "3"]);
                way(&format!("--strategy unfold --k {k}"))
            }
            13 => way("--strategy random --max-executions 40 --max-events 300"),
            14 => way("--strategy pct --max-executions 40 --max-events 300"),
            15 if random.one_in(4) => {
                let mut way = way(&format!("--strategy dpor {bound}"));
                way.options[3] = "2".to_owned();
                way
            }
            16 => way("--quarantine 1"),
            _ => {
                let asked: &[&'static str] = random.pick(&[
                    &["assertion"] as &[_],
                    &["deadlock"],
                    &["data-race"],
                    &["assertion", "deadlock", "memory", "pthread"],
                ]);
                let memory = !asked.contains(&"data-race");
                let bound = if memory { bound } else { "" };
                let mut way = way(&format!("--property {} {bound}", asked.join(",")));
                way.asked = Some(asked.to_vec());
                way.memory = memory;
                way
            }
        };
        if !all.contains(&next) {
            all.push(next);
        }
    }
    // A separate random stream, so that the other ways of a seed do not change.
    let mut random = Random::new(seed ^ 0x7374_6174);
    if random.one_in(3) {
        all.push(match random.below(6) {
            0 => way("--visibility memory --strategy stateful"),
            1 | 2 => way("--visibility hybrid --strategy stateful"),
            3 => way("--visibility fields --strategy stateful"),
            _ => way("--strategy stateful"),
        });
    }
    all
}

/// The ways to check an optimised program.
pub fn optimised_ways(seed: u64, level: u8, endless: bool) -> Vec<Way> {
    let mut all = ways(seed, endless);
    all.truncate(1 + (seed % 2) as usize);
    for way in &mut all {
        way.level = level;
    }
    all
}
