//! Library functions with symbolic arguments: each program does the same whether an argument was
//! chosen beforehand, by an `if`, or is chosen by the call that needs to know it. So the same is
//! wrong with both, and the verdict is the same.
//!
//! A call that chooses must not lose its effect on the order of events, nor have half of it before
//! the choice. Each function that the machine models and that takes a pointer, a handle or a size
//! is called with one that is one of two, beside another thread.

mod calls;

use libtest_mimic::{Arguments, Failed, Trial};
use selvedge_base::{turn, usual_or_long};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What the runs are made with: each call with two of them, in turns; with `SELVEDGE_LONG` (`cargo
/// xtask nightly`) with all.
const WAYS: [&[&str]; 5] = [
    &["--strategy", "dpor"],
    &["--strategy", "unfold"],
    &["--strategy", "stateful"],
    &["--strategy", "dpor", "--visibility", "memory"],
    &["--strategy", "unfold", "--visibility", "memory"],
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let calls = calls::all();
    let trials = calls.iter().map(|call| {
        let (name, text) = (call.name, call.text());
        Trial::test(name, move || compare(name, &text))
    });
    let trials: Vec<Trial> = trials.collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn compare(name: &str, text: &str) -> Result<(), Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("symbolic-calls");
    std::fs::create_dir_all(&folder)?;
    let source = folder.join(format!("{name}.c"));
    std::fs::write(&source, text)?;
    let [chosen, choosing] = [&["-DBEFORE"][..], &[]].map(|flags| compile(&source, flags));
    let (chosen, choosing) = (chosen?, choosing?);
    let first = turn(name, 5) as usize;
    for options in WAYS.iter().cycle().skip(first).take(usual_or_long(1, 5) as usize) {
        let before = run(&chosen, options)?;
        let by_call = run(&choosing, options)?;
        check(before == by_call, || {
            format!("{name} {options:?}: chosen before {before:?}, by the call {by_call:?}")
        })?;
        // Transfers to memory that threads share are unsupported with visibility `memory`.
        check(options.contains(&"memory") || before.0 != "unknown", || {
            format!("{name} {options:?}: decides nothing: {before:?}")
        })?;
    }
    Ok(())
}

/// Makes an object, which is explored in several ways.
fn compile(source: &Path, flags: &[&str]) -> Result<PathBuf, Failed> {
    let object = source.with_extension(if flags.is_empty() { "o" } else { "before.o" });
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["cc", "-g", "-c"])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(&object)
        .output()?;
    match output.status.success() {
        true => Ok(object),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

fn check(holds: bool, text: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(text().into()) }
}

/// A verdict and what was found: kinds and lines.
type Seen = (String, BTreeSet<(String, u64)>);

fn run(source: &Path, options: &[&str]) -> Result<Seen, Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args([
            "check",
            "--format",
            "json",
            "--finding",
            "none",
            "--progress",
            "never",
        ])
        .args(["--stop", "never", "--max-time", "120s"])
        .args(options)
        .arg(source)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&text).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("{}: {error}: {text}{said}", source.display())
    })?;
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let found = findings.iter().map(|finding| {
        let kind = finding["kind"].as_str().unwrap_or_default().to_owned();
        // Which of several races are seen follows from the order in which executions are taken.
        let line = finding["location"]["line"]
            .as_u64()
            .filter(|_| kind != "data-race");
        (kind, line.unwrap_or_default())
    });
    let verdict = report["verdict"].as_str().unwrap_or_default().to_owned();
    Ok((verdict, found.collect()))
}
