//! Random C programs with two input bytes: the ways through the program that the machine finds must
//! be those that a native run of the same code takes on all 65,536 inputs. None may be missing, and
//! none may be made up.
//!
//! A program notes in a number which branches it takes, and which values the results of its
//! computations have; that number is all that it prints. Half of the programs compute (every
//! integer type and operation, arrays with symbolic indexes, switches, loops), half call library
//! functions on strings that the inputs are part of.
//!
//! Programs with threads have two inputs of one bit each, which are indexes of data, locks and
//! handles: what is wrong with them is what is wrong with the same program for some pair of
//! numbers.
//!
//! What is wrong with variables that have no value, where `memory` is not asked for, is what is
//! wrong with the same variables as inputs.
//!
//! `SELVEDGE_RANDOM_INPUTS=FROM..TO` runs other seeds.

mod generate;
mod threads;
mod unwritten;

use selvedge_base::usual_or_long;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The seeds that are always tried, of each of the two kinds.
const SEEDS: std::ops::Range<u64> = 0..20;
/// Programs with more ways than this are left out.
const MOST: usize = 400;

#[test]
fn computations_take_the_ways_of_a_native_run() {
    compare(generate::computation, "computation");
}

#[test]
fn library_calls_take_the_ways_of_a_native_run() {
    compare(generate::library_calls, "library");
}

/// The seeds asked for.
fn seeds() -> std::ops::Range<u64> {
    let asked = std::env::var("SELVEDGE_RANDOM_INPUTS").ok().and_then(|range| {
        let (from, to) = range.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    asked.unwrap_or(SEEDS.start..SEEDS.end * usual_or_long(1, 3))
}

/// Ways to explore a program with threads.
const THREADED: &[&[&str]] = &[
    &["--strategy", "dpor"],
    &["--strategy", "unfold"],
    &["--strategy", "stateful"],
    &["--strategy", "dpor", "--visibility", "memory"],
    &["--strategy", "unfold", "--visibility", "memory"],
];

#[test]
fn threads_do_wrong_what_they_do_wrong_for_some_numbers() {
    let (mut decided, mut wrong, seeds) = (0, 0, seeds());
    let all = seeds.end - seeds.start;
    for seed in seeds {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random-inputs-threads");
        std::fs::create_dir_all(&folder).expect("the temporary directory is writable");
        let source = folder.join(format!("{seed}.c"));
        std::fs::write(&source, threads::program(seed)).expect("the temporary directory is writable");
        // Each way in its turn: what the ways have to do with one another, `random_programs` says.
        let options = THREADED[seed as usize % THREADED.len()];
        let mut expected = BTreeSet::new();
        for numbers in [
            ["-DA=0", "-DB=0"],
            ["-DA=0", "-DB=1"],
            ["-DA=1", "-DB=0"],
            ["-DA=1", "-DB=1"],
        ] {
            expected.extend(faults(&source, &[options, &numbers[..]].concat()));
        }
        let mut found = faults(&source, options);
        // Fewer scheduling points are enough only without races: with one, what else is found
        // depends on the order.
        if expected.contains(RACE) && !options.contains(&"memory") {
            assert!(found.contains(RACE), "{}: no race", source.display());
            (expected, found) = Default::default();
        }
        assert_eq!(found, expected, "{} {options:?}", source.display());
        decided += u64::from(!expected.contains(OPEN));
        wrong += u64::from(!expected.is_empty());
    }
    println!("threads: {decided} programs of {all} decided, {wrong} with faults");
    assert!(decided * 4 > all * 3 && wrong > 0, "of little use");
}

#[test]
fn variables_without_a_value_do_wrong_what_inputs_do_wrong() {
    let (mut decided, mut wrong, seeds) = (0, 0, seeds());
    let all = 4 * (seeds.end - seeds.start);
    for seed in 4 * seeds.start..4 * seeds.end {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random-inputs-unwritten");
        std::fs::create_dir_all(&folder).expect("the temporary directory is writable");
        let source = folder.join(format!("{seed}.c"));
        let (text, asked) = unwritten::program(seed);
        std::fs::write(&source, text).expect("the temporary directory is writable");
        let strategy = ["dpor", "unfold", "stateful"][seed as usize % 3];
        let options = ["--property", asked, "--strategy", strategy];
        let found = faults(&source, &options);
        let expected = faults(&source, &[&options[..], &["-DWRITTEN"]].concat());
        if found.contains(OPEN) || expected.contains(OPEN) {
            continue;
        }
        assert_eq!(found, expected, "{} {options:?}", source.display());
        decided += 1;
        wrong += u64::from(!expected.is_empty());
    }
    println!("unwritten: {decided} programs of {all} decided, {wrong} with faults");
    assert!(decided * 4 > all * 3 && wrong * 4 > decided, "of little use");
}

const RACE: &str = "data-race";
const OPEN: &str = "unknown";

/// What is wrong with a program: kinds, with lines where those do not depend on the order of
/// events.
fn faults(source: &Path, options: &[&str]) -> BTreeSet<String> {
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
        .output()
        .expect("the command runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        panic!("{} {options:?}: {error}: {said}", source.display())
    });
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let mut faults: BTreeSet<String> = findings
        .iter()
        .map(|finding| {
            let kind = finding["kind"].as_str().unwrap_or_default();
            if kind == RACE || kind.starts_with("deadlock") {
                return kind.to_owned();
            }
            format!("{kind} at {}", finding["location"]["line"])
        })
        .collect();
    if report["verdict"] == OPEN {
        faults.insert(OPEN.to_owned());
    }
    faults
}

fn compare(program: fn(u64) -> String, kind: &str) {
    let (mut compared, mut ways) = (0, 0);
    let seeds = seeds();
    let all = seeds.end - seeds.start;
    for seed in seeds {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("random-inputs-{kind}"));
        std::fs::create_dir_all(&folder).expect("the temporary directory is writable");
        let source = folder.join(format!("{seed}.c"));
        std::fs::write(&source, program(seed)).expect("the temporary directory is writable");
        let Some(expected) = native(&source).filter(|ways| ways.len() <= MOST) else {
            continue;
        };
        let found = machine(&source);
        let name = source.display();
        let (missing, made_up) = (&expected - &found, &found - &expected);
        assert!(
            missing.is_empty() && made_up.is_empty(),
            "{name}: missing {missing:?}, made up {made_up:?}"
        );
        compared += 1;
        ways += found.len();
    }
    println!("{kind}: {compared} programs of {all}, {ways} ways");
    assert!(
        compared * 2 > all,
        "only {compared} programs of {all} were of any use"
    );
}

/// What the program prints for all inputs; `None` if its behaviour is undefined for one of them.
fn native(source: &Path) -> Option<BTreeSet<String>> {
    let program = source.with_extension("native");
    let compiled = Command::new("clang-22")
        .args([
            "-w",
            "-O0",
            "-DALL_INPUTS",
            "-fsanitize=undefined",
            "-fno-sanitize-recover=all",
        ])
        .arg(source)
        .arg("-o")
        .arg(&program)
        .status();
    assert!(
        compiled.expect("clang-22 runs").success(),
        "{}: not C",
        source.display()
    );
    let output = Command::new(&program).output().expect("the program runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    output
        .status
        .success()
        .then(|| printed.lines().map(str::to_owned).collect())
}

/// What it prints in the executions of the machine, which must verify it.
fn machine(source: &Path) -> BTreeSet<String> {
    let cases = source.with_extension("cases");
    // An earlier run's, if there was one.
    let _ = std::fs::remove_dir_all(&cases);
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args([
            "check",
            "--finding",
            "none",
            "--progress",
            "never",
            "--max-time",
            "120s",
        ])
        .arg("--emit-tests")
        .arg(&cases)
        .arg(source)
        .output()
        .expect("the command runs");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}: {}{}",
        source.display(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let files = std::fs::read_dir(&cases).expect("test cases were written");
    let paths = files.map(|file| file.expect("it can be listed").path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a test case can be read");
            let case: Value = serde_json::from_str(&text).expect("a test case is JSON");
            case["output"].as_str().unwrap_or_default().trim().to_owned()
        })
        .collect()
}
