//! Runs the machine's unsafe code (translation caches, windows on registers) under valgrind, which
//! detects accesses to memory that was freed or moved.

use crate::callgrind;
use crate::process::{self, cargo};
use anyhow::{Result, ensure};

/// Tests in which machines take steps, undo them, and are copied.
const TESTS: [&str; 2] = ["states", "fingerprint"];

/// Runs these tests. Child processes such as a compiler are not checked.
pub fn run() -> Result<()> {
    ensure!(callgrind::available(), "valgrind is not installed");
    let suppressed = concat!(env!("CARGO_MANIFEST_DIR"), "/src/memcheck.supp");
    let runner =
        format!("valgrind --quiet --error-exitcode=99 --trace-children=no --suppressions={suppressed}");
    for test in TESTS {
        process::run(
            cargo()
                .args(["test", "--package", "selvedge-vm", "--test", test])
                .env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", &runner),
        )?;
    }
    Ok(())
}
