//! `cargo xtask cover [SELVEDGE]`: makes the table of docs/cover.md. Each program of benches/cover
//! is covered with 2, 4 and 8 threads and built. Then the built program and the plain one run
//! alternately. The table has the shortest times, because other load on the machine only adds to a
//! time.

use crate::process::build_release;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number of runs of each of the two programs.
const PAIRS: usize = 31;

/// A program, the number of letters in its argument, an example argument, and its size.
struct Case {
    name: &'static str,
    letters: u32,
    word: &'static str,
    size: &'static str,
}

const CASES: [Case; 7] = [
    case("blackscholes", 1, "p", "OPTIONS=150000"),
    case("swaptions", 1, "l", "PATHS=5000"),
    case("fft", 1, "t", "LOG_SIZE=15"),
    case("lu", 1, "f", "SIZE=120"),
    case("radix", 1, "2", "NUMBERS=300000"),
    case("pfscan", 3, "axb", "BYTES=300000"),
    case("pipeline", 1, "4", "WORK=500000"),
];

const fn case(name: &'static str, letters: u32, word: &'static str, size: &'static str) -> Case {
    Case {
        name,
        letters,
        word,
        size,
    }
}

pub fn run(arguments: &[String]) -> Result<()> {
    let selvedge = match arguments.first() {
        Some(path) => PathBuf::from(path),
        None => build_release()?,
    };
    let directory = PathBuf::from("target/cover");
    std::fs::create_dir_all(&directory)?;
    println!(
        "| Program | Threads | Schedules | Classes | Operations | Analysis, s | Plain, ms | Built / plain |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for case in &CASES {
        for threads in [2, 4, 8] {
            row(&selvedge, &directory, case, threads)?;
        }
    }
    Ok(())
}

fn row(selvedge: &Path, directory: &Path, case: &Case, threads: u32) -> Result<()> {
    let source = format!("benches/cover/{}.c", case.name);
    let (set, built, plain) = (
        directory.join("set"),
        directory.join("built"),
        directory.join("plain"),
    );
    let defines = [format!("-DTHREADS={threads}"), format!("-D{}", case.size)];
    let begin = Instant::now();
    let mut cover = Command::new(selvedge);
    cover.arg("cover").arg(&source).args(&defines).arg("-o").arg(&set);
    succeed(
        cover
            .arg("--symbolic-args")
            .arg(format!("1:{}", case.letters))
            .stdout(Stdio::null()),
    )?;
    let analysis = begin.elapsed();
    let text = std::fs::read_to_string(&set)?;
    let of = |word: &'static str| text.lines().filter_map(move |line| line.strip_prefix(word));
    let classes: u64 = of("schedule ")
        .filter_map(|count| count.parse::<u64>().ok())
        .sum();
    let (schedules, operations) = (of("schedule ").count(), of("op ").count());
    let mut build = Command::new(selvedge);
    build.arg("build").arg(&source).arg("--schedules").arg(&set);
    succeed(build.arg("-o").arg(&built))?;
    let mut clang = Command::new("clang-22");
    clang.args(["-O2", "-g", "-pthread"]).args(&defines).arg(&source);
    succeed(clang.args(["-lm", "-o"]).arg(&plain))?;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        without.push(time(&plain, case.word)?);
        with.push(time(&built, case.word)?);
    }
    let (with, without) = (shortest(with), shortest(without));
    println!(
        "| {} | {threads} | {schedules} | {classes} | {operations} | {:.1} | {:.1} | {:.2} |",
        case.name,
        analysis.as_secs_f64(),
        without.as_secs_f64() * 1000.0,
        with.as_secs_f64() / without.as_secs_f64()
    );
    Ok(())
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {command:?}"))?;
    match status.success() {
        true => Ok(()),
        false => bail!("{command:?}: {status}"),
    }
}

fn time(program: &Path, word: &str) -> Result<Duration> {
    let begin = Instant::now();
    succeed(Command::new(program).arg(word).stdout(Stdio::null()))?;
    Ok(begin.elapsed())
}

fn shortest(times: Vec<Duration>) -> Duration {
    times.into_iter().min().unwrap_or_default()
}
