//! An oracle counts only once it was seen to fail. Tests with `noticed` in their name plant one
//! mistake (a dropped row of the dependence relation, a skipped sleep-set wake-up, a weakened race
//! detector, …) and pass only if it is noticed. This task lists and runs them all; an empty list of
//! a crate that must have some is a failure.

use crate::process::{self, capture, cargo};
use anyhow::{Result, bail};

/// Crates whose oracles must have been seen to fail.
const CRATES: &[&str] = &["selvedge-explore", "selvedge-detect"];

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
