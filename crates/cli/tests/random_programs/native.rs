//! The real thing: a program compiled by the platform's compiler and run a few times.

use crate::oracle::{Truth, sorted};
use std::path::Path;
use std::process::Command;

/// How often it runs.
const RUNS: usize = 5;

/// What correct programs print natively is what some execution of the model prints.
pub fn run(source: &Path, truth: &Truth) -> Result<(), String> {
    let binary = source.with_extension("exe");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "clang-22".to_owned());
    let status = Command::new(&compiler)
        .args(["-w", "-O1", "-pthread", "-o"])
        .args([&binary, source])
        .status()
        .map_err(|e| format!("{compiler}: {e}"))?;
    if !status.success() {
        return Err(format!("{compiler}: {status}"));
    }
    for _ in 0..RUNS {
        let output = Command::new("timeout")
            .arg("10")
            .arg(&binary)
            .output()
            .map_err(|e| format!("{}: {e}", binary.display()))?;
        let printed = sorted(&String::from_utf8_lossy(&output.stdout));
        if !truth.outputs().contains(printed.as_str()) {
            return Err(format!(
                "prints {printed:?} ({}), not one of {:?}",
                output.status,
                truth.outputs()
            ));
        }
    }
    Ok(())
}
