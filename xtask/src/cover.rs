//! `cargo xtask cover [SELVEDGE]`: makes the table of docs/cover.md. Each program of benches/cover
//! is covered with 2, 4 and 8 threads and built. Then the built program and the plain one run
//! alternately. The table has the median of the ratio of their times, with its 95 % interval.
//!
//! Where the operations do not depend on a size, the native runs have a larger one than the
//! analysis. That this is so is seen: the built program would stop otherwise.

use crate::process::build_release;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number of runs of each of the two programs.
const PAIRS: usize = 41;

/// A program, the number of letters in its argument, an example argument, and its size: the name,
/// that of the analysis, and that of native runs.
struct Case {
    name: &'static str,
    letters: u32,
    word: &'static str,
    size: (&'static str, u32, u32),
}

const CASES: [Case; 7] = [
    case("blackscholes", 1, "p", ("OPTIONS", 15_000, 1_500_000)),
    case("swaptions", 1, "l", ("PATHS", 500, 100_000)),
    case("fft", 1, "t", ("LOG_SIZE", 15, 15)),
    case("lu", 1, "f", ("SIZE", 200, 200)),
    case("radix", 1, "2", ("NUMBERS", 30_000, 6_000_000)),
    case("pfscan", 3, "axb", ("BYTES", 30_000, 12_000_000)),
    case("pipeline", 1, "4", ("WORK", 50_000, 20_000_000)),
];

const fn case(name: &'static str, letters: u32, word: &'static str, size: (&'static str, u32, u32)) -> Case {
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
        "| Program | Threads | Schedules | Classes | Operations | Analysis, s | Plain, ms | Built / plain (95 %) |"
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
    let (size, small, large) = case.size;
    let defines = |size_is: u32| [format!("-DTHREADS={threads}"), format!("-D{size}={size_is}")];
    let begin = Instant::now();
    let mut cover = Command::new(selvedge);
    cover
        .arg("cover")
        .arg(&source)
        .args(defines(small))
        .arg("-o")
        .arg(&set);
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
    let (before, after) = (format!("{size}={small}\n"), format!("{size}={large}\n"));
    std::fs::write(&set, text.replace(&before, &after))?;
    let mut build = Command::new(selvedge);
    build.arg("build").arg(&source).arg("--schedules").arg(&set);
    succeed(build.arg("-o").arg(&built))?;
    let mut clang = Command::new("clang-22");
    clang
        .args(["-O2", "-g", "-pthread"])
        .args(defines(large))
        .arg(&source);
    succeed(clang.args(["-lm", "-o"]).arg(&plain))?;
    let (mut ratios, mut without) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let alone = time(&plain, case.word)?.as_secs_f64();
        ratios.push(time(&built, case.word)?.as_secs_f64() / alone);
        without.push(alone);
    }
    ratios.sort_by(f64::total_cmp);
    without.sort_by(f64::total_cmp);
    // The median lies between these two with a probability of 95 %.
    let apart = (PAIRS as f64).sqrt() * 0.98;
    let low = (PAIRS as f64 / 2.0 - apart).floor() as usize;
    println!(
        "| {} | {threads} | {schedules} | {classes} | {operations} | {:.1} | {:.1} | {:.2} ({:.2}–{:.2}) |",
        case.name,
        analysis.as_secs_f64(),
        without[PAIRS / 2] * 1000.0,
        ratios[PAIRS / 2],
        ratios[low],
        ratios[PAIRS - 1 - low],
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
