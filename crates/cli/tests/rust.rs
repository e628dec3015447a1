//! Rust programs as they are, with the standard library: from the source to a verdict.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/rust")
}

fn check(arguments: &[&str], program: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args(["check", "--quiet", "--finding", "none"]);
    command.args(arguments).arg(program);
    command.output().unwrap()
}

fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().last().unwrap_or_default().to_owned()
}

/// Each program of a folder has this verdict.
fn all(folder: &str, verdict: &str) {
    let programs: Vec<PathBuf> = corpus()
        .join(folder)
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(!programs.is_empty());
    for program in programs {
        let output = check(&[], &program);
        assert_eq!(last_line(&output), verdict, "{program:?}: {output:?}");
    }
}

#[test]
fn safe_programs() {
    all("safe", "true");
}

#[test]
fn races() {
    all("race", "false(no-data-race)");
}

#[test]
fn deadlocks() {
    all("deadlock", "false(no-deadlock)");
}

#[test]
fn assertions() {
    all("assertion", "false(unreach-call)");
}

#[test]
fn places_are_the_programs_own() {
    let program = corpus().join("assertion/read_then_written.rs");
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "--finding", "none"])
        .arg(&program)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("assertion/read_then_written.rs:17:5") && text.contains("assert_eq!(counter"),
        "{text}"
    );
    assert!(text.contains("assertion `left == right` failed"), "{text}");
}

/// Strategies agree; the deadlock is found under each.
#[test]
fn strategies_agree() {
    let program = corpus().join("safe/message_published.rs");
    for strategy in ["unfold", "stateful", "dpor"] {
        let output = check(&["--strategy", strategy], &program);
        assert_eq!(last_line(&output), "true", "{strategy}: {output:?}");
    }
    let program = corpus().join("race/published_without_release.rs");
    for strategy in ["unfold", "stateful", "dpor"] {
        let output = check(&["--strategy", strategy], &program);
        assert_eq!(
            last_line(&output),
            "false(no-data-race)",
            "{strategy}: {output:?}"
        );
    }
}

#[test]
fn what_does_not_compile_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("broken.rs");
    std::fs::write(&program, "fn main() { let x: i32 = \"text\"; }").unwrap();
    let output = check(&[], &program);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("does not compile") && text.contains("mismatched types"),
        "{text}"
    );
}
