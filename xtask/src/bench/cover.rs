//! Sets of schedules, and the programs built of them. Each program of benches/cover is covered with
//! several numbers of threads and built. Then the built program and the plain one run alternately.
//! The table has the median of the ratio of their times, with its 95 % interval.
//!
//! Where the operations do not depend on a size, the native runs have a larger one than the
//! analysis. That this is so is seen: the built program would stop otherwise.

use super::Bench;
use anyhow::{Context, Result, bail};
use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number of runs of each of the two programs.
const PAIRS: usize = 41;

const TITLE: &str = "## Schedules for all inputs";

const INTRODUCTION: &str = "`benches/cover` has small programs of our own in the shape of the paper's, a pipeline, and a loop that steals work. Each has one symbolic argument of one letter (pfscan: of up to three, a letter for each file; its number of threads is that of workers, beside the main thread). \
*Classes*: paths through the program's branches, which would be schedules if those with the same operations were not merged. *Operations*: in all schedules together. *Plain*: the median of 41 runs. *Built / plain*: the median of the ratio in 41 paired runs, with its 95 % interval. \
Where the operations do not depend on a program's size (all but fft and lu), the native runs have a larger size than the analysis. *Paper*: its schedules, those of them that are infeasible, and its time, for as many threads.";

const HEAD: &str = "| program | threads | schedules | classes | operations | analysis, s | plain, ms | built / plain (95 %) | paper |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |";

const PAPER: &str = "
The paper's overheads are 1.0 to 1.05, and 1.6 for pfscan with 2 workers; with 4 workers its analysis of pfscan does not end within two hours. These are not the same programs: the paper's are the real ones, with inputs of any size, and their schedules are those of *epochs* that repeat. \
Here the sizes are constants, loops run as often as they do, and each schedule is a whole run that was observed: none is infeasible, and a set for one size says nothing about another.
";

/// A program, its numbers of threads, the number of letters in its argument, an example argument,
/// and its size: the name, that of the analysis, and that of native runs.
pub(super) struct Case {
    pub(super) name: &'static str,
    threads: &'static [u32],
    pub(super) letters: u32,
    pub(super) word: &'static str,
    pub(super) size: (&'static str, u32, u32),
}

pub(super) const CASES: [Case; 8] = [
    case("blackscholes", &[2, 4, 8], 1, "p", ("OPTIONS", 15_000, 1_500_000)),
    case("swaptions", &[2, 4, 8], 1, "l", ("PATHS", 500, 100_000)),
    case("fft", &[2, 4, 8, 16], 1, "t", ("LOG_SIZE", 15, 15)),
    case("lu", &[2, 4, 8, 16], 1, "f", ("SIZE", 200, 200)),
    case("radix", &[2, 4, 8, 16], 1, "2", ("NUMBERS", 30_000, 6_000_000)),
    case("pfscan", &[2, 4, 5, 8], 3, "axb", ("BYTES", 30_000, 12_000_000)),
    case("pipeline", &[2, 4, 8], 1, "4", ("WORK", 50_000, 20_000_000)),
    case("stealing", &[2, 4, 8], 1, "a", ("WORK", 2_000, 3_000_000)),
];

const fn case(
    name: &'static str,
    threads: &'static [u32],
    letters: u32,
    word: &'static str,
    size: (&'static str, u32, u32),
) -> Case {
    Case {
        name,
        threads,
        letters,
        word,
        size,
    }
}

impl Case {
    pub(super) fn source(&self) -> String {
        format!("benches/cover/{}.c", self.name)
    }

    /// What the program is compiled with.
    pub(super) fn defines(&self, threads: u32, size: u32) -> [String; 2] {
        [
            format!("-DTHREADS={threads}"),
            format!("-D{}={size}", self.size.0),
        ]
    }
}

/// What the paper's Table 1 has for a program.
fn of_the_paper(name: &str, threads: u32) -> &'static str {
    match (name, threads) {
        ("blackscholes" | "swaptions", _) => "1; 4 to 65 s",
        ("fft", 2 | 4) => "2; from 7 s",
        ("fft", 8) => "2; 90 min",
        ("lu", 2 | 4 | 8) => "3; 7 to 11 s",
        ("radix", 2) => "9, 2 infeasible; from 9 s",
        ("radix", 4) => "17, 10 infeasible",
        ("radix", 8) => "74, 65 infeasible; 53 s",
        ("pfscan", 2) => "3,321, at least 203 infeasible; 343 s",
        ("pfscan", 4) => "no end in 2 h",
        _ => "",
    }
}

impl Bench {
    pub(super) fn cover(&self) -> Result<String> {
        let directory = PathBuf::from("target/cover");
        std::fs::create_dir_all(&directory)?;
        let mut out = format!("{TITLE}\n\n{INTRODUCTION}\n\n{HEAD}\n");
        for case in &CASES {
            for &threads in case.threads {
                out += &row(&self.selvedge, &directory, case, threads)?;
            }
        }
        out += PAPER;
        Ok(out)
    }
}

fn row(selvedge: &Path, directory: &Path, case: &Case, threads: u32) -> Result<String> {
    let source = case.source();
    let (set, built, plain) = (
        directory.join("set"),
        directory.join("built"),
        directory.join("plain"),
    );
    let (size, small, large) = case.size;
    let begin = Instant::now();
    let mut cover = Command::new(selvedge);
    cover
        .arg("cover")
        .arg(&source)
        .args(case.defines(threads, small))
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
        .args(case.defines(threads, large))
        .arg(&source);
    succeed(clang.args(["-lm", "-o"]).arg(&plain))?;
    let (mut ratios, mut without) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let alone = time(Command::new(&plain).arg(case.word))?.as_secs_f64();
        ratios.push(time(Command::new(&built).arg(case.word))?.as_secs_f64() / alone);
        without.push(alone);
    }
    without.sort_by(f64::total_cmp);
    let row = format!(
        "| {} | {threads} | {schedules} | {classes} | {operations} | {:.1} | {:.1} | {} | {} |\n",
        case.name,
        analysis.as_secs_f64(),
        without[PAIRS / 2] * 1000.0,
        Ratio::of(ratios),
        of_the_paper(case.name, threads),
    );
    eprint!("{row}");
    Ok(row)
}

/// The median of ratios, and its 95 % interval.
pub(super) struct Ratio([f64; 3]);

impl Ratio {
    pub(super) fn of(mut ratios: Vec<f64>) -> Ratio {
        ratios.sort_by(f64::total_cmp);
        let count = ratios.len();
        // The median lies between these two with a probability of 95 %.
        let apart = (count as f64).sqrt() * 0.98;
        let low = (count as f64 / 2.0 - apart).floor() as usize;
        Ratio([ratios[count / 2], ratios[low], ratios[count - 1 - low]])
    }
}

impl Display for Ratio {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Ratio([median, low, high]) = self;
        write!(f, "{median:.2} ({low:.2}–{high:.2})")
    }
}

pub(super) fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {command:?}"))?;
    match status.success() {
        true => Ok(()),
        false => bail!("{command:?}: {status}"),
    }
}

pub(super) fn time(command: &mut Command) -> Result<Duration> {
    let begin = Instant::now();
    succeed(command.stdout(Stdio::null()))?;
    Ok(begin.elapsed())
}
