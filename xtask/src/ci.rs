//! The checks of `.ci/run` in addition to the tests. Each check runs even if an earlier one failed,
//! so one run shows all failures.

use crate::process::{self, cargo};
use anyhow::{Result, bail};

fn checks() -> Vec<(&'static str, Result<()>)> {
    let mut documents = cargo();
    documents
        .args(["doc", "--workspace", "--exclude", "xtask"])
        .args(["--all-features", "--no-deps", "--quiet"])
        .env("RUSTDOCFLAGS", "-D warnings");
    vec![
        ("format", process::run(cargo().args(["fmt", "--all", "--check"]))),
        (
            "lints",
            process::run(cargo().args([
                "clippy",
                "--workspace",
                "--all-targets",
                "--quiet",
                "--",
                "-D",
                "warnings",
            ])),
        ),
        // Tests turn on the feature `laboratory`. The product without it must have no warnings
        // either.
        (
            "lints of the product",
            process::run(cargo().args([
                "clippy",
                "--package",
                "selvedge",
                "--quiet",
                "--",
                "-D",
                "warnings",
            ])),
        ),
        ("tidy", crate::tidy::run()),
        ("fuzzing, a slice", crate::fuzz::slice()),
        ("documents", process::run(&mut documents)),
    ]
}

pub fn run() -> Result<()> {
    let mut failed = Vec::new();
    for (name, result) in checks() {
        if let Err(error) = result {
            eprintln!("{name}: {error:#}");
            failed.push(name);
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        bail!("failed: {}", failed.join(", "))
    }
}
