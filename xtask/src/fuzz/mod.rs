//! `cargo xtask fuzz`: fuzzing of every way in which untrusted data gets into the command.
//!
//! Each *door* makes inputs: files and a command line. The command runs on each input as for a
//! user. It must end by itself with one of the documented exit codes: no signal, no panic, no
//! internal error, no hang. An input depends only on the seed and its number, so a failing input
//! can be made again. It is also saved, with the output of the command.
//!
//! | door | input |
//! | --- | --- |
//! | `bitcode`, `assembly` | LLVM modules, in bytes and in text |
//! | `source` | C programs |
//! | `options`, `toml` | the command line, and `selvedge.toml` |
//! | `finding`, `property`, `ktest` | saved findings, property files, test cases |

mod doors;
mod findings;
mod modules;
mod mutation;
mod run;
mod seeds;
mod tally;

use crate::process::{self, cargo};
use anyhow::{Context, Result, bail};
use run::Runner;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tally::Tally;

/// A file in the current directory of the command: its name and its contents.
pub type File = (String, Vec<u8>);

/// One input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The files in the current directory.
    pub files: Vec<File>,
    /// The command line after the name of the command. It may contain any bytes except zero.
    pub arguments: Vec<Vec<u8>>,
}

/// A way for data to enter the command.
pub trait Door {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Makes an input.
    fn case(&self, random: &mut fastrand::Rng) -> Case;
}

/// The options of the task.
struct Wanted {
    doors: Vec<String>,
    seconds: u64,
    seed: u64,
    first: u64,
    count: u64,
    binary: Option<PathBuf>,
}

/// Runs `cargo xtask fuzz`.
pub fn run(arguments: &[String]) -> Result<()> {
    let wanted = wanted(arguments)?;
    let binary = match &wanted.binary {
        Some(binary) => binary.clone(),
        None => build()?,
    };
    let runner = Runner::new(&binary)?;
    let is_wanted = |name: &str| wanted.doors.is_empty() || wanted.doors.iter().any(|door| door == name);
    let seeds = seeds::Seeds::new(&runner, &is_wanted)?;
    let mut doors = doors::all(&seeds);
    doors.retain(|door| is_wanted(door.name()));
    if doors.is_empty() {
        bail!("there is no such door");
    }
    let mut failed = 0;
    for door in &doors {
        let tally = fuzz(door.as_ref(), &wanted, &runner)?;
        println!("{tally}");
        failed += tally.failed;
    }
    if failed > 0 {
        bail!(
            "{failed} inputs failed; they are in {}",
            runner.failures().display()
        );
    }
    Ok(())
}

/// A short run for CI: some seconds for each door.
pub fn slice() -> Result<()> {
    run(&["--seconds".to_owned(), "3".to_owned()])
}

fn fuzz(door: &dyn Door, wanted: &Wanted, runner: &Runner) -> Result<Tally> {
    let started = Instant::now();
    let time = Duration::from_secs(wanted.seconds);
    let mut tally = Tally::new(door.name());
    for number in wanted.first..wanted.first.saturating_add(wanted.count) {
        if started.elapsed() >= time {
            break;
        }
        // Each door and number has an independent random stream.
        let name: u64 = door
            .name()
            .bytes()
            .fold(7, |all, byte| all * 131 + u64::from(byte));
        let mut random = fastrand::Rng::with_seed(name ^ wanted.seed.rotate_left(40) ^ number);
        let case = door.case(&mut random);
        let ended = runner.run(&case)?;
        if let Some(fault) = ended.fault() {
            let place = runner.save(door.name(), wanted.seed, number, &case, &ended, &fault)?;
            println!(
                "{} {number} (--seed {}): {fault}: {}",
                door.name(),
                wanted.seed,
                place.display()
            );
        }
        tally.add(&ended);
    }
    tally.took = started.elapsed();
    Ok(tally)
}

/// Builds the command as the tests do. Alone, it would be built with other features, and with it
/// nearly all crates: minutes.
fn build() -> Result<PathBuf> {
    process::run(cargo().args(["test", "--workspace", "--no-run", "--quiet"]))?;
    Ok(process::target_directory().join("debug/selvedge"))
}

const USAGE: &str =
    "usage: cargo xtask fuzz [DOOR…] [--seconds N] [--seed N] [--first N] [--count N] [--binary FILE]";

fn wanted(arguments: &[String]) -> Result<Wanted> {
    let mut wanted = Wanted {
        doors: Vec::new(),
        seconds: 60,
        seed: 0,
        first: 0,
        count: u64::MAX,
        binary: None,
    };
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().context(USAGE);
        match word.as_str() {
            "--seconds" => wanted.seconds = value()?.parse()?,
            "--seed" => wanted.seed = value()?.parse()?,
            "--first" => wanted.first = value()?.parse()?,
            "--count" => wanted.count = value()?.parse()?,
            "--binary" => wanted.binary = Some(value()?.into()),
            option if option.starts_with('-') => bail!(USAGE),
            door => wanted.doors.push(door.to_owned()),
        }
    }
    Ok(wanted)
}
