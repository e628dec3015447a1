//! Checks that take too long for every change: long tests, tests under valgrind, the hunt,
//! fuzzing, and the documents as a site.

use crate::process::{self, cargo};
use crate::{fuzz, hunt, memcheck, site};
use anyhow::{Result, ensure};

/// The number of random programs for the hunt, and the seconds for each door of fuzzing.
const PROGRAMS: &str = "50000";
const SECONDS: &str = "450";

/// Runs all of them. Each night should pass another seed.
pub fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let seed = match words[..] {
        [] => "0",
        ["--seed", seed] => seed,
        _ => "",
    };
    ensure!(
        seed.parse::<u64>().is_ok(),
        "usage: cargo xtask nightly [--seed N]"
    );
    let mut tests = cargo();
    tests.args(["xtask", "test"]).env("SELVEDGE_LONG", "1");
    process::run(tests.env("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "true"))?;
    memcheck::run()?;
    let with = |words: [&str; 4]| words.map(str::to_owned);
    hunt::run(&with(["--programs", PROGRAMS, "--seed", seed]))?;
    fuzz::run(&with(["--seconds", SECONDS, "--seed", seed]))?;
    site::build()
}
