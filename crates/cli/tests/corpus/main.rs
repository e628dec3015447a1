//! The corpus: every program of corpus/ through every strategy, held against what the program says
//! about itself (expectation.rs). One test is one program (in one variant) under one strategy; all
//! must agree with the same expectation, so that strategies agree with each other.

mod expectation;
mod objects;

use expectation::{Case, Verdict, cases, directives_are_told_from_prose};
use libtest_mimic::{Arguments, Failed, Trial};
use selvedge_base::turn;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A way to explore, and what may be asked of it.
struct Strategy {
    name: &'static str,
    options: &'static [&'static str],
    /// It visits everything, so the whole expectation must hold.
    exhaustive: bool,
    /// It comes to an end where executions do not but states do.
    ends: bool,
}

const STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "dpor",
        // Theory counts executions in which identical threads have changed places.
        options: &[
            "--strategy",
            "dpor",
            "--jobs",
            "1",
            "--stop",
            "never",
            "--symmetry",
            "off",
        ],
        exhaustive: true,
        ends: false,
    },
    Strategy {
        name: "dpor-without-sleep-sets",
        options: &[
            "--strategy",
            "dpor",
            "--jobs",
            "1",
            "--stop",
            "never",
            "--sleep-sets",
            "off",
            "--recall",
            "off",
        ],
        exhaustive: true,
        ends: false,
    },
    Strategy {
        name: "dpor-two-jobs",
        options: &["--strategy", "dpor", "--jobs", "2", "--stop", "never"],
        exhaustive: true,
        ends: false,
    },
    Strategy {
        name: "dpor-first-finding",
        options: &["--strategy", "dpor", "--stop", "first"],
        exhaustive: false,
        ends: false,
    },
    Strategy {
        name: "random",
        options: &[
            "--strategy",
            "random",
            "--max-executions",
            "40",
            "--stop",
            "never",
        ],
        exhaustive: false,
        ends: false,
    },
    Strategy {
        name: "pct",
        options: &["--strategy", "pct", "--max-executions", "40", "--stop", "never"],
        exhaustive: false,
        ends: false,
    },
    Strategy {
        name: "unfold",
        options: &["--strategy", "unfold", "--stop", "never"],
        exhaustive: true,
        ends: true,
    },
    Strategy {
        name: "stateful",
        options: &["--strategy", "stateful", "--stop", "never"],
        exhaustive: true,
        ends: true,
    },
];

/// Classes by reads-from; or `unfold`, of what that does not cover. Programs without an end may
/// have few states and very many classes.
const READS_FROM: Strategy = Strategy {
    name: "reads-from",
    options: &["--strategy", "reads-from", "--stop", "never"],
    exhaustive: true,
    ends: true,
};

/// One program in so many is tried with [`READS_FROM`]; all with `SELVEDGE_LONG`.
const READS_FROM_EVERY: u64 = 16;

/// The other ways of `unfold` that are as complete, for programs with more than one order of
/// events, and for those without an end.
const ORDERS: &[Strategy] = &[
    Strategy {
        name: "unfold-breadth-first",
        options: &["--strategy", "unfold", "--search", "bfs", "--stop", "never"],
        exhaustive: true,
        ends: true,
    },
    Strategy {
        name: "unfold-random",
        options: &["--strategy", "unfold", "--search", "random", "--stop", "never"],
        exhaustive: true,
        ends: true,
    },
];

/// The unfolding in full: as many executions as there are classes of them.
const FULL: Strategy = Strategy {
    name: "unfold-without-cutoffs",
    options: &[
        "--strategy",
        "unfold",
        "--cutoffs",
        "off",
        "--stop",
        "never",
        "--symmetry",
        "off",
    ],
    exhaustive: true,
    ends: false,
};

/// The same, and none of them is redundant.
const OPTIMAL: Strategy = Strategy {
    name: "unfold-optimal",
    options: &[
        "--strategy",
        "unfold",
        "--cutoffs",
        "off",
        "--k",
        "optimal",
        "--stop",
        "never",
        "--symmetry",
        "off",
    ],
    exhaustive: true,
    ends: false,
};

/// Only what can matter to an assertion or a deadlock.
const PREDICATE: Strategy = Strategy {
    name: "predicate",
    options: &[
        "--strategy",
        "dpor",
        "--jobs",
        "1",
        "--stop",
        "never",
        "--dependence",
        "predicate",
    ],
    exhaustive: true,
    ends: false,
};

/// Programs with fewer executions than this show nothing more about orders; those with more take
/// long.
const COMPARED: std::ops::RangeInclusive<u64> = 3..=400;

/// No program of the corpus needs this long: whoever does is stuck.
const TIME: &str = "120s";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut trials = Vec::new();
    for program in programs(&corpus) {
        match cases(&corpus, &program) {
            Ok(cases) => {
                for case in cases {
                    trials.extend(trials_of(case));
                }
            }
            Err(error) => trials.push(Trial::test(program.display().to_string(), move || {
                Err(error.into())
            })),
        }
    }
    trials.push(Trial::test("the corpus is there", {
        let programs = programs(&corpus).len();
        move || {
            if programs >= 120 {
                Ok(())
            } else {
                Err(format!("only {programs} programs").into())
            }
        }
    }));
    trials.push(Trial::test("directives are told from prose", || {
        directives_are_told_from_prose();
        Ok(())
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Strategies of which every other program is tried under one, in turns; each under all with
/// `SELVEDGE_LONG` (`cargo xtask nightly`). The others say as much of the program.
const IN_TURNS: [&str; 4] = ["dpor-without-sleep-sets", "random", "dpor-two-jobs", "pct"];

/// The number of turns, with those in which none of [`IN_TURNS`] is tried.
const TURNS: u64 = 2 * IN_TURNS.len() as u64;

/// For one program in so many, every way of `unfold` is compared with `dpor`; for all with
/// `SELVEDGE_LONG`.
const COMPARED_EVERY: u64 = 10;

fn trials_of(case: Case) -> Vec<Trial> {
    let mut trials = Vec::new();
    let all = std::env::var_os("SELVEDGE_LONG").is_some();
    let number = turn(&case.name, 1 << 16);
    for strategy in STRATEGIES {
        let mut turns = IN_TURNS.iter().zip(0..);
        let own = turns.find(|&(&name, _)| name == strategy.name);
        if !all && own.is_some_and(|(_, turn)| turn != number % TURNS) {
            continue;
        }
        let first = strategy.name == "dpor-first-finding";
        let ends = strategy.ends || !case.endless;
        let stateful = strategy.name == "stateful";
        // The first finding is that of some order; and what `stateful` adds to the others are ends.
        let other_turn = !all
            && (first && !number.is_multiple_of(5) || stateful && !case.endless && !number.is_multiple_of(3));
        let left_out = other_turn || stateful && case.many_states;
        if case.only_count || left_out || !ends || first && case.verdict != Verdict::Violated {
            continue;
        }
        let case = case.clone();
        let name = format!("{} [{}]", case.name, strategy.name);
        trials.push(Trial::test(name, move || test(&case, strategy)));
    }
    if !case.only_count
        && !case.many_states
        && !case.endless
        && (all || number.is_multiple_of(READS_FROM_EVERY))
    {
        let case = case.clone();
        let name = format!("{} [{}]", case.name, READS_FROM.name);
        trials.push(Trial::test(name, move || test(&case, &READS_FROM)));
    }
    if case.endless {
        let orders = ORDERS.iter().zip(0..);
        for (strategy, _) in orders.filter(|&(_, turn)| all || turn == number % ORDERS.len() as u64) {
            let case = case.clone();
            let name = format!("{} [{}]", case.name, strategy.name);
            trials.push(Trial::test(name, move || test(&case, strategy)));
        }
    } else if !case.only_count
        && case.verdict != Verdict::Unknown
        && (all || number.is_multiple_of(COMPARED_EVERY))
    {
        let case = case.clone();
        let name = format!("{} [unfold against dpor]", case.name);
        trials.push(Trial::test(name, move || compare(&case)));
    }
    for &(visibility, executions) in case.counts.iter().filter(|(of, _)| *of != "unfold") {
        let case = case.clone();
        let name = format!("{} [count, {visibility}]", case.name);
        trials.push(Trial::test(name, move || count(&case, visibility, executions)));
    }
    if let Some((found, options)) = case.published.clone() {
        let name = format!("{} [published]", case.name);
        trials.push(Trial::test(name, move || published(&case, found, options)));
    }
    trials
}

/// All programs below the corpus, in a fixed order.
fn programs(corpus: &Path) -> Vec<PathBuf> {
    let mut folders = vec![corpus.to_path_buf()];
    let mut programs = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("c" | "cc" | "ll") => programs.push(path),
                // The programs in Rust have a test of their own.
                Some("rs") => {}
                _ => panic!("{}: nothing tries a file of this name", path.display()),
            }
        }
    }
    programs.sort();
    programs
}

fn test(case: &Case, strategy: &Strategy) -> Result<(), Failed> {
    examine(case, strategy).map(|_| ())
}

/// The unfolding in every way, and how many executions that took: the number that the program
/// gives, or else at most as many as `dpor` needs.
fn compare(case: &Case) -> Result<(), Failed> {
    let dpor = check(case, STRATEGIES[0].options)?.executions()?;
    if !COMPARED.contains(&dpor) {
        return Ok(());
    }
    for strategy in ORDERS {
        examine(case, strategy)?;
    }
    for strategy in [&FULL, &OPTIMAL] {
        let report = examine(case, strategy)?;
        let mut executions = report.executions()?;
        let mut most = dpor;
        // Events whose inputs are at odds with each other look like an alternative until they are
        // executed.
        let inputs = report.json["statistics"]["solver_queries"].as_u64() > Some(0);
        if executions > most && inputs {
            // A data choice is an event of its own here, after which a thread may wake without
            // cause once more.
            let off = ["--spurious-wakeups", "off"];
            executions = check(case, &[strategy.options, &off].concat())?.executions()?;
            most = check(case, &[STRATEGIES[0].options, &off].concat())?.executions()?;
        }
        let told = case.counts.iter().find(|(of, _)| *of == "unfold");
        report.expect(
            told.map_or(executions <= most, |&(_, all)| executions == all && all > dpor),
            format!("{executions} executions, {most} of dpor"),
        )?;
        let redundant = &report.json["statistics"]["redundant_executions"];
        // Where a signal arrives for a thread that is blocked, the execution goes no further.
        let signals = report.json["assumptions"].as_array().is_some_and(|all| {
            all.iter()
                .any(|a| a.as_str().is_some_and(|a| a.contains("handlers set at")))
        });
        report.expect(
            strategy.name != OPTIMAL.name || redundant == 0 || inputs || signals,
            format!("{redundant} redundant executions"),
        )?;
    }
    Ok(())
}

/// Explores, and holds what the report says against what the program says.
fn examine(case: &Case, strategy: &Strategy) -> Result<Report, Failed> {
    let case = &match case.with_cutoffs {
        Some(verdict) if strategy.ends => Case {
            verdict,
            ..case.clone()
        },
        _ => case.clone(),
    };
    let report = check(case, strategy.options)?;
    let verdict = report.verdict()?;
    report.only_expected_findings(case)?;
    if strategy.exhaustive {
        report.expect(
            verdict == case.verdict.word(),
            format!("the verdict is {verdict}"),
        )?;
        report.expect(
            report.code == case.verdict.exit_code(),
            format!("the exit code is {}", report.code),
        )?;
        report.every_expected_finding(case)?;
        if let (Verdict::Unknown, Some(reason)) = (case.verdict, &case.reason) {
            let text = report.json["reasons"].to_string() + &report.json["reason"].to_string();
            report.expect(
                text.contains(reason.as_str()),
                format!("the reason does not name \"{reason}\""),
            )?;
        }
    } else if strategy.name == "dpor-first-finding" {
        report.expect(verdict == "violated", format!("the verdict is {verdict}"))?;
        report.expect(
            report.findings().count() == 1,
            "more than the first finding".into(),
        )?;
    } else {
        // Sampling never proves anything.
        report.expect(verdict != "verified", "a sample is no proof".into())?;
    }
    Ok(report)
}

fn count(case: &Case, visibility: &str, executions: u64) -> Result<(), Failed> {
    let report = match visibility {
        "predicate" => examine(case, &PREDICATE)?,
        _ => check(
            case,
            &[STRATEGIES[0].options, &["--visibility", visibility]].concat(),
        )?,
    };
    let seen = report.executions()?;
    report.expect(
        seen == executions,
        format!("{seen} executions instead of {executions}"),
    )
}

/// What predicate dependence says by the rules as published, and by the sound ones.
fn published(case: &Case, found: bool, options: Vec<String>) -> Result<(), Failed> {
    let mut with = case.clone();
    with.options.extend(options);
    if case.verdict == Verdict::Violated {
        examine(&with, &PREDICATE)?;
    }
    let by = ["--dependence", "predicate-published", "--stop", "never"];
    let report = check(&with, &by)?;
    let (word, reason) = match found {
        true => ("violated", ""),
        false => ("unknown", "predicate-published loses errors"),
    };
    let verdict = report.verdict()?;
    report.expect(verdict == word, format!("the verdict is {verdict}"))?;
    let reasons = report.json["reasons"].to_string();
    report.expect(reasons.contains(reason), format!("the reasons are {reasons}"))
}

/// A finished run of the command.
struct Report {
    command: String,
    json: Value,
    code: i32,
}

/// Runs `selvedge check` on a case. Options of the case go before those of the strategy.
fn check(case: &Case, options: &[&str]) -> Result<Report, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args([
        "check",
        "--format",
        "json",
        "--finding",
        "none",
        "--progress",
        "never",
        "--max-time",
        TIME,
    ]);
    // A bound of the case's own (on executions) holds for the exhaustive strategies; samples have
    // theirs.
    command.args(options);
    if options == STRATEGIES[0].options && objects::is_by_command(case) {
        command.args(&case.options).arg(&case.program);
    } else {
        let (object, rest) = objects::object(case)?;
        command.args(rest).arg(object);
    }
    let output = command
        .output()
        .map_err(|error| format!("cannot start the command: {error}"))?;
    let text = format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    let json = serde_json::from_slice(&output.stdout).map_err(|error| {
        format!(
            "no JSON ({error}, {}): {text}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stdout)
        )
    })?;
    Ok(Report {
        command: text,
        json,
        code: output.status.code().unwrap_or(-1),
    })
}

impl Report {
    fn expect(&self, holds: bool, what: String) -> Result<(), Failed> {
        if holds {
            Ok(())
        } else {
            Err(format!("{what}\n{}\n{:#}", self.command, self.json).into())
        }
    }

    fn verdict(&self) -> Result<String, Failed> {
        self.json["verdict"]
            .as_str()
            .map(str::to_string)
            .ok_or_else(|| "the report has no verdict".into())
    }

    fn executions(&self) -> Result<u64, Failed> {
        self.json["statistics"]["executions"]
            .as_u64()
            .ok_or_else(|| "the report does not say how many executions".into())
    }

    fn findings(&self) -> impl Iterator<Item = &Value> {
        self.json["findings"].as_array().into_iter().flatten()
    }

    /// Nothing is found that the program does not announce: no false alarms.
    fn only_expected_findings(&self, case: &Case) -> Result<(), Failed> {
        for finding in self.findings() {
            let announced = case.verdict == Verdict::Violated
                && case
                    .findings
                    .iter()
                    .any(|expected| matches(case, expected, finding));
            self.expect(
                announced,
                format!(
                    "a finding nobody announced: {} ({})",
                    finding["kind"], finding["message"]
                ),
            )?;
        }
        Ok(())
    }

    /// Everything that the program announces is found.
    fn every_expected_finding(&self, case: &Case) -> Result<(), Failed> {
        if case.verdict != Verdict::Violated {
            return Ok(());
        }
        for expected in &case.findings {
            let found = self.findings().any(|finding| matches(case, expected, finding));
            self.expect(found, format!("not found: {expected:?}"))?;
        }
        Ok(())
    }
}

/// Whether a finding has one of the kinds and concerns the line: its own place or a related one.
fn matches(case: &Case, expected: &expectation::Expected, finding: &Value) -> bool {
    let kind = finding["kind"].as_str().unwrap_or_default();
    if !expected.kinds.iter().any(|expected| expected == kind) {
        return false;
    }
    let Some(line) = expected.line else { return true };
    let file = case
        .program
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let at = |location: &Value| {
        location["line"].as_u64() == Some(line)
            && location["file"].as_str().is_some_and(|path| path.ends_with(file))
    };
    let related = finding["related"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|related| &related["location"]);
    std::iter::once(&finding["location"]).chain(related).any(at)
}
