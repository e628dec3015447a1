//! Programs of the corpus after clang has optimised them. Optimised code has what unoptimised code
//! has not: addresses computed before the scopes of their objects, values that are poison and
//! dropped, `freeze`, flags, code executed early. A program without a mistake has none after that,
//! and one that fails an assertion still does: whatever differs is a mistake of ours, or has its
//! reason here.
//!
//! A part of the corpus by default; all of it with `SELVEDGE_OPTIMISED=all`.

use selvedge_base::turn;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One in so many programs is taken.
const STRIDE: u64 = 4;

/// Programs with another verdict when they are optimised, and why.
const OTHERWISE: [(&str, &str); 2] = [
    (
        "verifier_atomic_block.c",
        "the function whose name makes its calls atomic is inlined",
    ),
    (
        "signal_handler_waits_for_a_write.c",
        "both reads of a plain variable become one",
    ),
];

/// The programs of a folder of the corpus that run without options.
fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus")
        .join(folder);
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            !text.contains("// options: ") && !text.contains("// variant: ")
        })
        .collect();
    programs.sort();
    programs
}

/// The verdict on a program at a level of optimisation; none if it does not compile.
fn verdict(program: &Path, level: &str) -> Option<String> {
    let name = program.file_name().unwrap().to_string_lossy().into_owned();
    let compiler = if name.ends_with(".cc") {
        "clang++-22"
    } else {
        "clang-22"
    };
    let bitcode = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}{level}.bc"));
    let compiled = Command::new(compiler)
        .args([level, "-g", "-w", "-emit-llvm", "-c", "-o"])
        .args([&bitcode, program])
        .status()
        .unwrap();
    if !compiled.success() {
        return None;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "--finding", "none", "--progress", "never"])
        .arg(&bitcode)
        .output()
        .unwrap();
    std::fs::remove_file(&bitcode).unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(said.lines().last().unwrap_or_default().to_owned())
}

/// Whether the programs of a folder have verdicts that begin so, also when optimised.
fn keep_their_verdict(folder: &str, wanted: &[&str]) {
    let stride = match std::env::var("SELVEDGE_OPTIMISED").as_deref() {
        Ok("all") => 1,
        _ => STRIDE,
    };
    let mut different = Vec::new();
    let mut compared = 0;
    for program in programs(folder) {
        let name = program.file_name().unwrap().to_string_lossy().into_owned();
        if turn(&name, stride) != 0 || OTHERWISE.iter().any(|(other, _)| *other == name) {
            continue;
        }
        for level in ["-O1", "-O2", "-O3"] {
            let Some(verdict) = verdict(&program, level) else {
                continue;
            };
            compared += 1;
            if !wanted.iter().any(|wanted| verdict.starts_with(wanted)) {
                different.push(format!("{name} {level}: {verdict}"));
            }
        }
    }
    assert!(compared > 20, "{compared} verdicts compared");
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn programs_without_a_mistake_stay_so() {
    // What a program asks of the library, the optimiser may replace by what has no model.
    keep_their_verdict("c/safe", &["true", "unknown(unsupported"]);
}

#[test]
fn assertions_that_fail_still_do() {
    keep_their_verdict("c/assertion", &["false(unreach-call)"]);
}

#[test]
fn deadlocks_stay() {
    keep_their_verdict("c/deadlock", &["false(no-deadlock)"]);
}
