//! What explorations of programs that may abort in several lines find.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The report of an exploration that goes on after findings.
pub fn report(program: &Path, locks: &str) -> Value {
    report_with(program, &["--max-time", "30s", "--rust-locks", locks])
}

/// The same with these options.
pub fn report_with(program: &Path, words: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "--quiet", "--finding", "none", "--format", "json"])
        .args(["--strategy", "unfold", "--stop", "never"])
        .args(words)
        .arg(program)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).expect("a report")
}

/// The kinds of findings, or the lines of those that abort; `None` if the exploration is not
/// complete.
pub fn complete(report: &Value) -> Option<BTreeSet<String>> {
    let reasons = report["reasons"].as_array().map_or(0, Vec::len);
    let findings = report["findings"].as_array().expect("a list of findings");
    let names = findings.iter().map(|finding| {
        let kind = finding["kind"].as_str().unwrap_or_default();
        match kind {
            "assertion.abort" => format!("line {}", finding["location"]["line"]),
            _ => kind.to_owned(),
        }
    });
    let complete = reasons == 0 && report["verdict"] != "unknown";
    complete.then(|| names.collect())
}

/// What a complete exploration finds; `None` if it is not complete.
pub fn found(program: &Path, locks: &str) -> Option<BTreeSet<String>> {
    complete(&report(program, locks))
}
