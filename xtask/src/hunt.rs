//! `cargo xtask hunt`: the differential hunt over random programs (docs/hunt.md). The program is a
//! crate of its own, so that the other tasks do not need the product compiled.

use crate::process::{self, cargo};
use anyhow::Result;

pub fn run(arguments: &[String]) -> Result<()> {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "selvedge-hunt", "--"]);
    process::run(command.args(arguments))
}
