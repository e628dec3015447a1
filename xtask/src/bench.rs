//! Measures, and writes docs/BENCHMARKS.md: the numbers, the facts of the machine, and ratios to
//! other tools. Benchmarks are no tests: slowness is no failure.

mod ablation;
mod choices;
mod cover;
mod first;
mod inputs;
mod lockfree;
mod predicate;
mod unfolding;

use crate::callgrind;
use crate::process::{build_release, capture_errors, cargo, run as run_command};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

const DOCUMENT: &str = "docs/BENCHMARKS.md";
const LOOP: &str = "benches/loop.c";
const UNPROTECTED: &str = "benches/unprotected.c";
const ONE_MUTEX: &str = "benches/one_mutex.c";
const HASH_TABLE: &str = "corpus/c/safe/hash_table.c";
const TWO_THREADS: &str = "corpus/c/safe/mutex_two_sections_each.c";
const RACY: &[&str] = &["--visibility", "memory", "--property", "assertion,deadlock"];

/// One comparison of instructions per execution.
struct Row {
    title: &'static str,
    program: &'static str,
    sizes: [&'static str; 2],
    options: &'static [&'static str],
    /// Thousands of instructions that GenMC and Nidhugg need, and our aim.
    genmc: f64,
    nidhugg: f64,
    aim: f64,
}

const ROWS: &[Row] = &[
    Row {
        title: "unprotected increments, 4 → 5 threads",
        program: UNPROTECTED,
        sizes: ["-DN=4", "-DN=5"],
        options: RACY,
        genmc: 137.0,
        nidhugg: 632.0,
        aim: 7.0,
    },
    Row {
        title: "increments under one mutex, 6 → 7 threads",
        program: ONE_MUTEX,
        sizes: ["-DN=6", "-DN=7"],
        options: &[],
        genmc: 869.0,
        nidhugg: 1260.0,
        aim: 20.0,
    },
    Row {
        title: "hash table, 13 → 14 threads",
        program: HASH_TABLE,
        sizes: ["-DN=13", "-DN=14"],
        options: &[],
        genmc: 12900.0,
        nidhugg: 10600.0,
        aim: 120.0,
    },
];

/// A section of the document.
struct Section {
    /// The option that measures only this section.
    option: &'static str,
    measure: fn(&Bench) -> Result<String>,
    /// Whether the machine and the commit are named below it if it is measured alone.
    facts: bool,
    /// Whether it is left out with `--quick`.
    long: bool,
}

const SECTIONS: &[Section] = &[
    Section::of("--speed", Bench::speed),
    Section::of("--growth", Bench::growth),
    Section::of("--inputs", Bench::inputs),
    Section::of("--unfolding", Bench::unfolding),
    Section {
        long: true,
        ..Section::of("--instructions", Bench::instructions)
    },
    Section {
        long: true,
        ..Section::of("--cores", Bench::cores)
    },
    Section::of("--lockfree", Bench::lockfree),
    Section {
        facts: false,
        ..Section::of("--first", Bench::first_findings)
    },
    Section {
        facts: false,
        ..Section::of("--predicate", Bench::predicate)
    },
    Section::of("--choices", Bench::choices),
    Section {
        long: true,
        ..Section::of("--cover", Bench::cover)
    },
    Section {
        long: true,
        ..Section::of("--ablation", Bench::ablation)
    },
];

impl Section {
    const fn of(option: &'static str, measure: fn(&Bench) -> Result<String>) -> Section {
        Section {
            option,
            measure,
            facts: true,
            long: false,
        }
    }
}

/// `cargo xtask bench [--quick | SECTION... | --cluster]`, and `[--selvedge FILE]` for an already
/// built command. `--quick` skips what takes long, and writes no document.
/// Options that name sections measure only these, and replace them in the document.
pub fn run(arguments: &[String]) -> Result<()> {
    let is_given = |option: &str| arguments.iter().any(|argument| argument == option);
    if is_given("--cluster") {
        let example = [
            "run",
            "--release",
            "--package",
            "selvedge-cluster",
            "--example",
            "machines",
        ];
        return run_command(cargo().args(example).args(["--", "simulate"]));
    }
    let given = arguments.iter().position(|argument| argument == "--selvedge");
    let given = given.map(|at| arguments.get(at + 1).context("--selvedge: which file?"));
    let selvedge = match given.transpose()? {
        Some(file) => PathBuf::from(file),
        None => build_release()?,
    };
    let bench = Bench { selvedge };
    let mut chosen = SECTIONS
        .iter()
        .filter(|section| is_given(section.option))
        .peekable();
    if chosen.peek().is_some() {
        for section in chosen {
            let mut text = (section.measure)(&bench)?;
            while !text.ends_with("\n\n") {
                text.push('\n');
            }
            if section.facts {
                text += &facts();
            }
            println!("{text}");
            replace_section(&text)?;
        }
        return Ok(());
    }
    let mut text =
        String::from("# Benchmarks\n\nMeasured by `cargo xtask bench`, which writes this file.\n\n");
    text += &facts();
    for section in SECTIONS
        .iter()
        .filter(|section| !(is_given("--quick") && section.long))
    {
        text += &(section.measure)(&bench)?;
    }
    println!("{text}");
    match is_given("--quick") {
        true => Ok(()),
        false => std::fs::write(DOCUMENT, &text).with_context(|| format!("cannot write {DOCUMENT}")),
    }
}

/// The numbers in the report of one run.
struct Measured {
    executions: f64,
    redundant: f64,
    events: f64,
    instructions: f64,
    seconds: f64,
    peak: f64,
    queries: f64,
    solving: f64,
    unfolding_events: f64,
    /// Executions that ended at states with only cutoffs left.
    cut: f64,
}

impl Measured {
    fn read(report: &str, what: &str) -> Result<Measured> {
        let json: Value = serde_json::from_str(report)
            .with_context(|| format!("{what}: the report is no JSON: {report}"))?;
        if json["verdict"] != "verified" {
            bail!("{what}: the verdict is {}, {}", json["verdict"], json["reason"]);
        }
        let number = |name: &str| {
            json["statistics"][name]
                .as_f64()
                .with_context(|| format!("{what}: no statistics.{name}"))
        };
        Ok(Measured {
            executions: number("executions")?,
            redundant: number("redundant_executions")?,
            events: number("events")?,
            instructions: number("instructions")?,
            seconds: number("seconds")?,
            peak: number("peak_memory_bytes")?,
            queries: number("solver_queries")?,
            solving: number("solver_seconds")?,
            unfolding_events: json["statistics"]["unfolding_events"].as_f64().unwrap_or(0.0),
            cut: json["statistics"]["cut_executions"].as_f64().unwrap_or(0.0),
        })
    }
}

struct Bench {
    selvedge: PathBuf,
}

impl Bench {
    fn arguments(program: &str, options: &[&str], jobs: u32) -> Vec<String> {
        let fixed = [
            "check",
            "--format",
            "json",
            "--finding",
            "none",
            "--progress",
            "never",
            "--strategy",
            "dpor",
            "--symmetry",
            "off",
            "--jobs",
        ];
        let jobs = jobs.to_string();
        fixed
            .iter()
            .chain([&jobs.as_str()])
            .chain(options)
            .chain([&program])
            .map(|word| word.to_string())
            .collect()
    }

    fn check(&self, program: &str, options: &[&str], jobs: u32) -> Result<Measured> {
        let mut command = Command::new(&self.selvedge);
        let (report, errors) = capture_errors(command.args(Self::arguments(program, options, jobs)))?;
        Measured::read(&report, &format!("{program} {}", options.join(" "))).with_context(|| errors)
    }

    /// The fastest of three runs; the others were disturbed.
    fn best(&self, program: &str, options: &[&str], jobs: u32) -> Result<Measured> {
        let mut best = self.check(program, options, jobs)?;
        for _ in 0..2 {
            let again = self.check(program, options, jobs)?;
            if again.seconds < best.seconds {
                best = again;
            }
        }
        Ok(best)
    }

    fn speed(&self) -> Result<String> {
        let mut text = String::from("## Speed\n\n| what | measured | aim |\n| --- | --- | --- |\n");
        let small = self.best(LOOP, &["-DROUNDS=1000"], 1)?;
        let large = self.best(LOOP, &["-DROUNDS=8000"], 1)?;
        let rate = (large.instructions - small.instructions) / (large.seconds - small.seconds) / 1e6;
        writeln!(
            text,
            "| concrete loop over memory | {rate:.0} million ir instructions/s | ≥ 100 million |"
        )?;
        for (increments, size) in [(8, "-DK=8"), (12, "-DK=12")] {
            let orders = self.best(TWO_THREADS, &[size], 1)?;
            writeln!(
                text,
                "| 2 threads × {increments} lock-protected increments: {} executions, {} redundant | {:.3} s, {:.2} million events/s | ≥ 4 \
                 million steps/s |",
                orders.executions,
                orders.redundant,
                orders.seconds,
                orders.events / orders.seconds / 1e6
            )?;
        }
        let mutex = self.best(ONE_MUTEX, &["-DN=8"], 1)?;
        writeln!(
            text,
            "| 8 threads, one increment under one mutex: {} executions, {} redundant | {:.3} s, {:.2} million events/s | ≥ 4 million steps/s |",
            mutex.executions,
            mutex.redundant,
            mutex.seconds,
            mutex.events / mutex.seconds / 1e6
        )?;
        Ok(
            text + "\nThe seconds have the compiler's in them, most of those of small programs. An event here is a visible action with the parts that belong to it.\n\n"
        )
    }

    fn growth(&self) -> Result<String> {
        let mut text = String::from(
            "## Growth\n\nThe hash table, 12 to 15 threads: time for one execution, and peak memory.\n\n",
        );
        text += "| threads | executions | redundant | seconds | µs for one execution | peak memory, MiB |\n| --- | --- | --- | --- | --- | --- |\n";
        for threads in ["12", "13", "14", "15"] {
            let run = self.best(HASH_TABLE, &[&format!("-DN={threads}")], 1)?;
            writeln!(
                text,
                "| {threads} | {} | {} | {:.3} | {:.1} | {:.1} |",
                run.executions,
                run.redundant,
                run.seconds,
                run.seconds / run.executions * 1e6,
                run.peak / (1 << 20) as f64
            )?;
        }
        Ok(text + "\n")
    }

    fn instructions(&self) -> Result<String> {
        let mut text = String::from(
            "## Processor instructions for one execution\n\n`valgrind --tool=callgrind`, one core: the difference of two sizes, divided by the difference of their executions. In\nthousands. The figures of GenMC and Nidhugg are for the same programs on another machine.\n\n",
        );
        if !callgrind::available() {
            return Ok(text + "valgrind is not installed: not measured.\n\n");
        }
        text += "| program | executions | ours | aim | GenMC | Nidhugg | best of them / ours |\n| --- | --- | --- | --- | --- | --- | --- |\n";
        for row in ROWS {
            let mut counted = Vec::new();
            for size in row.sizes {
                let options: Vec<&str> = row.options.iter().copied().chain([size]).collect();
                let (instructions, report) =
                    callgrind::count(&self.selvedge, &Self::arguments(row.program, &options, 1))?;
                counted.push((
                    instructions as f64,
                    Measured::read(&report, row.title)?.executions,
                ));
            }
            let (from, to) = (counted[0], counted[1]);
            let ours = (to.0 - from.0) / (to.1 - from.1) / 1e3;
            let best = row.genmc.min(row.nidhugg);
            writeln!(
                text,
                "| {} | {} → {} | {ours:.1} | ≤ {} | {} | {} | {:.0} |",
                row.title,
                from.1,
                to.1,
                row.aim,
                row.genmc,
                row.nidhugg,
                best / ours
            )?;
        }
        Ok(text + "\n")
    }

    fn cores(&self) -> Result<String> {
        let mut text = String::from(
            "## Two cores\n\n2 threads × 12 lock-protected increments (2,704,156 executions), runs with one and with two jobs by turns.\n\n",
        );
        text += "| pair | 1 job, s | 2 jobs, s | ratio |\n| --- | --- | --- | --- |\n";
        let mut ratios = Vec::new();
        for pair in 1..=5 {
            let one = self.check(TWO_THREADS, &["-DK=12"], 1)?;
            let two = self.check(TWO_THREADS, &["-DK=12"], 2)?;
            if one.executions != two.executions {
                bail!("1 job: {} executions, 2 jobs: {}", one.executions, two.executions);
            }
            let ratio = one.seconds / two.seconds;
            ratios.push(ratio);
            writeln!(
                text,
                "| {pair} | {:.2} | {:.2} | {ratio:.2} |",
                one.seconds, two.seconds
            )?;
        }
        ratios.sort_by(f64::total_cmp);
        writeln!(
            text,
            "\nMedian {:.2}, best {:.2}; the aim on two idle cores is 1.6.",
            ratios[2], ratios[4]
        )?;
        Ok(text)
    }
}

/// Replaces the section of the document that has the same title. If there is none, appends the
/// section.
fn replace_section(section: &str) -> Result<()> {
    let document = std::fs::read_to_string(DOCUMENT).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let title = section.split_inclusive('\n').next().unwrap_or_default();
    let from = document.find(title).unwrap_or(document.len());
    let after = document.get(from + title.len()..).unwrap_or_default();
    let to = after.find("\n## ").map(|at| from + title.len() + at + 1);
    let end = document.get(to.unwrap_or(document.len())..).unwrap_or_default();
    let begin = document[..from].trim_end();
    let text = format!("{begin}\n\n{section}{end}");
    std::fs::write(DOCUMENT, text).with_context(|| format!("cannot write {DOCUMENT}"))
}

/// The processor, cores, system and compiler.
fn facts() -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or(": unknown processor");
    let processor = processor.trim_start_matches([' ', '\t', ':']);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let compiler = capture_errors(Command::new("rustc").arg("--version"))
        .map(|(version, _)| version)
        .unwrap_or_default();
    let commit = capture_errors(Command::new("git").args(["log", "-1", "--format=%h of %cs"]))
        .map(|(text, _)| text)
        .unwrap_or_default();
    format!(
        "Machine: {processor}, {cores} cores, Linux {}; {}; commit {}.\n\n",
        kernel.trim(),
        compiler.trim(),
        commit.trim()
    )
}
