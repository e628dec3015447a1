//! What each optimisation of `selvedge cover` is good for (the paper's Table 2): programs are
//! covered and built once more without it, and what differs is in the table. The program that was
//! built with all of them and the one without run alternately.

use super::Bench;
use super::cover::{CASES, Case, Ratio, succeed, time};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The number of runs of each of two programs.
const PAIRS: usize = 15;

/// The analysis ends after so many seconds of the processor, and so many by the clock.
const LONGEST: &str = "120";

const TITLE: &str = "## Schedules for all inputs, each optimisation left out";

const INTRODUCTION: &str = "As the paper's Table 2: each of these is left out alone (`--without`, [cover.md](cover.md#what-can-be-left-out)), and only what differs has a row. *Operations*, *waits*: in all schedules together; a wait is an operation of another thread that one waits for. \
*Analysis*: seconds of the processor, with all processes. *Time*: the median of the ratio in 15 paired runs of the native program without it and that with all, with its 95 % interval. The programs and sizes are those above, and three whose loops have no bound: `examples/served.c` with 20,000 requests, and with `--epochs` `rounds` and `pool` in `benches/cover`, with 20,000 rounds and jobs. \
*Classes* above says how many schedules there would be if inputs with the same operations did not share one. Of the paper's own, the facts of general states (\u{a7}3.3) are among them. Schedules that are the begin of others (\u{a7}4.1.1) are not left out here, equal threads are told apart (\u{a7}4.1.3), and no code is there twice, since the analysis comes before the compiler's optimisations (\u{a7}4.1.4).";

const HEAD: &str =
    "| program | threads | without | schedules | parts | operations | waits | analysis, s | time (95 %) |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |";

/// What is left out of sets, and of native programs.
const OF_SETS: [&str; 6] = ["places", "edges", "time", "parts", "combined", "facts"];
const OF_PROGRAMS: [&str; 3] = ["asked", "late", "barriers"];

/// The programs of the other table, and with how many threads.
const THREADS: [(&str, u32); 5] = [
    ("lu", 8),
    ("radix", 8),
    ("pfscan", 4),
    ("pipeline", 4),
    ("stealing", 4),
];

/// A program, and how it is covered and run.
struct Subject {
    name: String,
    threads: u32,
    source: String,
    options: Vec<String>,
    /// A text of the set, and what stands there for the native runs.
    size: Option<(String, String)>,
    word: Option<String>,
    input: Option<PathBuf>,
}

/// What is known of a set.
#[derive(PartialEq, Eq)]
struct Counts {
    schedules: usize,
    parts: usize,
    operations: usize,
    waits: usize,
}

impl Counts {
    fn of(set: &str) -> Counts {
        let of = |word: &'static str| set.lines().filter(move |line| line.starts_with(word));
        let waits = |line: &str| {
            let line = line.split(" # ").next().unwrap_or_default();
            line.split_once(" after ")
                .map_or(0, |(_, after)| after.split(' ').count())
        };
        Counts {
            schedules: of("schedule ").count(),
            parts: of("part ").count(),
            operations: of("op ").count(),
            waits: of("op ").map(waits).sum(),
        }
    }
}

impl Bench {
    pub(super) fn ablation(&self) -> Result<String> {
        let directory = PathBuf::from("target/ablation");
        std::fs::create_dir_all(&directory)?;
        let mut out = format!("{TITLE}\n\n{INTRODUCTION}\n\n{HEAD}\n");
        for subject in subjects(&directory)? {
            out += &self.rows(&directory, &subject)?;
        }
        Ok(out)
    }

    fn rows(&self, directory: &Path, subject: &Subject) -> Result<String> {
        let at = |name: &str| directory.join(name);
        let (all, other) = (at("all"), at("without"));
        let (begin, analysis) = self.covered(subject, None, &at("set"))?;
        let set = begin.map_err(|why| anyhow::anyhow!("{}: {why}", subject.name))?;
        self.built(subject, None, &set, &all)?;
        let mut rows = row(
            subject,
            "",
            Some(&Counts::of(&set)),
            &format!("{analysis:.1}"),
            "",
        );
        let mut alike = Vec::new();
        for without in OF_SETS {
            let (text, analysis) = self.covered(subject, Some(without), &at("set"))?;
            let analysis = format!("{analysis:.1}");
            match text {
                Ok(text) if Counts::of(&text) == Counts::of(&set) && without != "time" => alike.push(without),
                Ok(text) if text == set => alike.push(without),
                Ok(text) => {
                    self.built(subject, None, &text, &other)?;
                    let ratio = subject.compared(&all, &other)?;
                    rows += &row(subject, without, Some(&Counts::of(&text)), &analysis, &ratio);
                }
                Err(why) => rows += &row(subject, without, None, &analysis, &why),
            }
        }
        let counts = Counts::of(&set);
        for without in OF_PROGRAMS {
            if without == "barriers" && !set.contains(" arrive ") {
                alike.push(without);
                continue;
            }
            self.built(subject, Some(without), &set, &other)?;
            let ratio = subject.compared(&all, &other)?;
            rows += &row(subject, without, Some(&counts), "", &ratio);
        }
        if !alike.is_empty() {
            let alike = alike.join(", ");
            rows += &row(subject, &alike, None, "", "the same set");
        }
        eprint!("{rows}");
        Ok(rows)
    }

    /// The set, or why there is none, and the seconds of the processor.
    fn covered(
        &self,
        subject: &Subject,
        without: Option<&str>,
        set: &Path,
    ) -> Result<(Result<String, String>, f64)> {
        let before = processor_seconds()?;
        let mut cover = Command::new(&self.selvedge);
        cover.arg("cover").arg(&subject.source).args(&subject.options);
        cover.args(without.iter().flat_map(|without| ["--without", without]));
        let ended = cover
            .args(["--max-time", LONGEST, "-o"])
            .arg(set)
            .output()
            .with_context(|| format!("cannot start {cover:?}"))?;
        let seconds = processor_seconds()? - before;
        let text = match ended.status.success() {
            true => Ok(std::fs::read_to_string(set)?),
            false => {
                let said = String::from_utf8_lossy(&ended.stdout).into_owned();
                let last = said.lines().find(|line| line.starts_with("unknown("));
                Err(last.unwrap_or("no set").to_owned())
            }
        };
        Ok((text, seconds))
    }

    fn built(&self, subject: &Subject, without: Option<&str>, set: &str, program: &Path) -> Result<()> {
        let file = program.with_extension("set");
        let text = match &subject.size {
            Some((small, large)) => set.replace(small, large),
            None => set.to_owned(),
        };
        std::fs::write(&file, text)?;
        let mut build = Command::new(&self.selvedge);
        build
            .arg("build")
            .arg(&subject.source)
            .arg("--schedules")
            .arg(&file);
        build.args(without.iter().flat_map(|without| ["--without", without]));
        succeed(build.arg("-o").arg(program))
    }
}

impl Subject {
    /// How much longer one program runs than the other.
    fn compared(&self, all: &Path, other: &Path) -> Result<String> {
        let run = |program: &Path| {
            let mut command = Command::new(program);
            command.args(&self.word);
            command.stdin(match &self.input {
                Some(file) => Stdio::from(std::fs::File::open(file)?),
                None => Stdio::null(),
            });
            time(&mut command)
        };
        let mut ratios = Vec::new();
        for _ in 0..PAIRS {
            let with_all = run(all)?.as_secs_f64();
            ratios.push(run(other)?.as_secs_f64() / with_all);
        }
        Ok(Ratio::of(ratios).to_string())
    }
}

fn subjects(directory: &Path) -> Result<Vec<Subject>> {
    let of_case = |case: &Case, threads: u32| {
        let (size, small, large) = case.size;
        Subject {
            name: case.name.to_owned(),
            threads,
            source: case.source(),
            options: [
                &case.defines(threads, small)[..],
                &["--symbolic-args".to_owned(), format!("1:{}", case.letters)],
            ]
            .concat(),
            size: Some((format!("{size}={small}\n"), format!("{size}={large}\n"))),
            word: Some(case.word.to_owned()),
            input: None,
        }
    };
    let mut subjects = Vec::new();
    for (name, threads) in THREADS {
        let case = CASES.iter().find(|case| case.name == name);
        subjects.push(of_case(case.context("no such program")?, threads));
    }
    let requests = directory.join("requests");
    std::fs::write(&requests, "abcx".repeat(5_000))?;
    let without_end = |source: &str, options: &[&str]| Subject {
        name: source.rsplit('/').next().unwrap_or_default().replace(".c", ""),
        threads: 2,
        source: source.to_owned(),
        options: options.iter().map(|&option| option.to_owned()).collect(),
        size: None,
        word: None,
        input: None,
    };
    subjects.push(Subject {
        input: Some(requests),
        ..without_end("examples/served.c", &["--symbolic-requests", "1"])
    });
    for source in ["benches/cover/rounds.c", "benches/cover/pool.c"] {
        let options = ["-DTHREADS=2", "--symbolic-args", "1:5", "--epochs"];
        subjects.push(Subject {
            word: Some("20000".to_owned()),
            ..without_end(source, &options)
        });
    }
    Ok(subjects)
}

fn row(subject: &Subject, without: &str, counts: Option<&Counts>, analysis: &str, time: &str) -> String {
    let counts = match counts {
        Some(counts) => {
            let Counts {
                schedules,
                parts,
                operations,
                waits,
            } = counts;
            format!("{schedules} | {parts} | {operations} | {waits}")
        }
        None => " | | | ".to_owned(),
    };
    let (name, threads) = (&subject.name, subject.threads);
    format!("| {name} | {threads} | {without} | {counts} | {analysis} | {time} |\n")
}

/// The time that processes have had that this one has started and that have ended.
fn processor_seconds() -> Result<f64> {
    /// A clock tick of `/proc`, on Linux.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let numbers = after_name.split_whitespace().skip(13).take(2);
    let ticks: Result<Vec<f64>, _> = numbers.map(str::parse).collect();
    Ok(ticks?.iter().sum::<f64>() / TICKS)
}
