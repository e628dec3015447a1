//! Accepts new golden reports (`insta` snapshots). Then shows the changes with `git diff`, for
//! review.

use crate::process::{self, cargo};
use anyhow::Result;
use std::process::Command;

pub fn run() -> Result<()> {
    process::run(
        cargo()
            .args(["test", "--workspace", "--quiet"])
            .env("INSTA_UPDATE", "always")
            .env("SELVEDGE_BLESS", "1"),
    )?;
    process::run(Command::new("git").args(["diff", "--stat", "--", "*.snap"]))
}
