//! Counts processor instructions with `valgrind --tool=callgrind`. Unlike time, the count is the
//! same in every run.

use crate::process::capture_errors;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// Whether valgrind is installed.
pub fn available() -> bool {
    Command::new("valgrind")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Instructions of one run of a program (without those of its child processes), and the standard
/// output of the run.
pub fn count(program: &Path, arguments: &[String]) -> Result<(u64, String)> {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments);
    let (output, errors) = capture_errors(&mut command)?;
    let line = errors
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .context("callgrind counted nothing")?;
    let count = line.1.trim().parse().context("callgrind's count is no number")?;
    Ok((count, output))
}
