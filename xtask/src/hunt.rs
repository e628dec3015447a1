//! `cargo xtask hunt`: differential testing with random programs (docs/hunt.md). The program is a
//! separate crate, so the other tasks do not need the product compiled.

use crate::process::{self, cargo};
use anyhow::Result;

pub fn run(arguments: &[String]) -> Result<()> {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "selvedge-hunt", "--"]);
    process::run(command.args(arguments))
}
