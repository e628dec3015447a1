//! What takes longer than a change may wait for: the tests at length, tests under valgrind, then
//! the hunt and fuzzing.

use crate::process::{self, cargo};
use crate::{fuzz, hunt, memcheck};
use anyhow::{Result, ensure};

/// Random programs of the hunt, and seconds for each way into the command.
const PROGRAMS: &str = "50000";
const SECONDS: &str = "450";

/// Runs all. Whoever runs it each night gives another seed each time.
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
    process::run(cargo().args(["xtask", "test"]).env("SELVEDGE_LONG", "1"))?;
    memcheck::run()?;
    let with = |words: [&str; 4]| words.map(str::to_owned);
    hunt::run(&with(["--programs", PROGRAMS, "--seed", seed]))?;
    fuzz::run(&with(["--seconds", SECONDS, "--seed", seed]))
}
