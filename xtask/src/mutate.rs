//! Runs the tests of oracles. An oracle counts only if it was seen to fail. Each test with
//! `noticed` in its name plants one mistake (a dropped row of the dependence relation, a skipped
//! sleep-set wake-up, a weakened race detector, …) and passes only if the mistake is noticed. This
//! task lists and runs all of them. It fails if a crate that must have such tests has none.

use crate::process::{self, capture, cargo};
use anyhow::{Result, bail};

/// Crates that must have tests with planted mistakes.
const CRATES: &[&str] = &[
    "selvedge-explore",
    "selvedge-model",
    "selvedge-detect",
    "selvedge-vm",
    "selvedge-session",
];

pub fn run() -> Result<()> {
    let mut without = Vec::new();
    for name in CRATES {
        let list = capture(cargo().args(["test", "--quiet", "--package", name, "--", "noticed", "--list"]))?;
        let tests: Vec<&str> = list
            .lines()
            .filter_map(|line| line.strip_suffix(": test"))
            .collect();
        println!("{name}: {} mutation tests", tests.len());
        for test in &tests {
            println!("  {test}");
        }
        if tests.is_empty() {
            without.push(*name);
        } else {
            process::run(cargo().args(["test", "--quiet", "--package", name, "--", "noticed"]))?;
        }
    }
    if without.is_empty() {
        Ok(())
    } else {
        bail!("no mutation tests in {}", without.join(", "))
    }
}
