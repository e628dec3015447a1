//! The command behind `cargo xtask hunt`.
//!
//! The parent starts worker processes, each with a range of seeds, and collects their reports. A
//! crash or a hang of the product ends one worker and counts as a disagreement.

use anyhow::{Context, Result, bail};
use selvedge_hunt::compare::Disagreement;
use selvedge_hunt::product::Way;
use selvedge_hunt::work::{Case, Counts, Listener, Settings, described, hunt, shrunk};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const HELP: &str = "usage: cargo xtask hunt [OPTIONS]

  --programs N        how many programs (10000)
  --seed N            the seed of the first; the k-th has seed N + k, so a run goes on where another ended (0)
  --jobs N            worker processes (2)
  --time SECONDS      end after this time
  --shrink N          make so many programs of each class of disagreement smaller (2)
  --out DIRECTORY     where disagreements are written (target/hunt)
  --show SEED         print the program of a seed with what is expected of it

SELVEDGE_HUNT_WAY=OPTIONS checks programs in this way only";

/// The number of seeds that a worker gets at once.
const PART: u64 = 384;
/// A worker without output for this time is considered to hang.
const PATIENCE: Duration = Duration::from_secs(120);

struct Options {
    programs: u64,
    seed: u64,
    jobs: usize,
    time: Option<Duration>,
    shrink: usize,
    out: PathBuf,
    show: Option<u64>,
    /// If set, this process is a worker for these seeds.
    worker: Option<(u64, u64)>,
    /// If set, this process makes the program for a seed smaller. The texts are the way and the
    /// class.
    smaller: Option<(u64, String, String)>,
}

fn options() -> Result<Options> {
    let mut options = Options {
        programs: 10_000,
        seed: 0,
        jobs: 2,
        time: None,
        shrink: 2,
        out: "target/hunt".into(),
        show: None,
        worker: None,
        smaller: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--programs" => options.programs = value()?.parse()?,
            "--seed" => options.seed = value()?.parse()?,
            "--jobs" => options.jobs = value()?.parse()?,
            "--time" => options.time = Some(Duration::from_secs(value()?.parse()?)),
            "--shrink" => options.shrink = value()?.parse()?,
            "--out" => options.out = value()?.into(),
            "--show" => options.show = Some(value()?.parse()?),
            "--worker" => options.worker = Some((value()?.parse()?, value()?.parse()?)),
            "--smaller" => options.smaller = Some((value()?.parse()?, value()?, value()?)),
            "--help" => {
                println!("{HELP}");
                std::process::exit(0);
            }
            _ => bail!("{word}?\n{HELP}"),
        }
    }
    Ok(options)
}

fn main() -> Result<()> {
    let options = options()?;
    if let Some(seed) = options.show {
        return show(seed);
    }
    if let Some((from, to)) = options.worker {
        return worker(from, to);
    }
    if let Some((seed, way, class)) = &options.smaller {
        return smaller(*seed, way, class);
    }
    lead(&options)
}

fn show(seed: u64) -> Result<()> {
    let case = Case::new(seed).context("left out: too many states, or something without a meaning")?;
    for level in 0..3 {
        for way in case.ways(level) {
            println!("// selvedge check {}", way.name());
        }
    }
    println!("{}", described(&case, &case.program, &case.ways(0)[0], "shown"));
    println!("// {:?}", case.truth);
    Ok(())
}

/// A directory for this process, in memory if possible.
fn directory() -> Result<PathBuf> {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    let directory = parent.join(format!("selvedge-hunt-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    Ok(directory)
}

struct Speaker;

impl Listener for Speaker {
    fn leaves_open(&mut self, case: &Case, way: &Way, reason: &str) {
        println!("open\t{}\t{}\t{reason}", case.seed, way.name());
    }

    fn begins(&mut self, seed: u64, way: &Way) {
        println!("at\t{seed}\t{}", way.name());
    }

    fn disagrees(&mut self, case: &Case, way: &Way, disagreement: &Disagreement) {
        let Disagreement { class, detail } = disagreement;
        println!("bad\t{}\t{}\t{class}\t{detail}", case.seed, way.name());
    }
}

fn worker(from: u64, to: u64) -> Result<()> {
    let directory = directory()?;
    let settings = Settings {
        directory: directory.clone(),
    };
    let mut counts = Counts::default();
    let done = hunt(from..to, &settings, &mut counts, &mut Speaker);
    let _ = std::fs::remove_dir_all(directory);
    for (name, n) in counts.0 {
        println!("count\t{name}\t{n}");
    }
    println!("done");
    done
}

fn smaller(seed: u64, name: &str, class: &str) -> Result<()> {
    let case = Case::new(seed).context("left out")?;
    let ways = (0..3).flat_map(|level| case.ways(level));
    let way = ways
        .into_iter()
        .find(|way| way.name() == name)
        .context("no such way")?;
    let directory = directory()?;
    let program = shrunk(&case, &way, class, &directory);
    let _ = std::fs::remove_dir_all(directory);
    print!("{}", described(&case, &program, &way, class));
    Ok(())
}

/// The results of all parts.
#[derive(Default)]
struct Results {
    counts: BTreeMap<String, u64>,
    /// Disagreements by class: seed, way, details.
    bad: BTreeMap<String, Vec<(u64, String, String)>>,
    /// For each kind of undecided run, some examples.
    open: BTreeMap<String, Vec<(u64, String)>>,
}

fn lead(options: &Options) -> Result<()> {
    std::fs::create_dir_all(&options.out)?;
    let started = Instant::now();
    let results = Arc::new(Mutex::new(Results::default()));
    let next = AtomicU64::new(options.seed);
    let end = options.seed + options.programs;
    let over = || options.time.is_some_and(|time| started.elapsed() >= time);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while !over() {
                    let from = next.fetch_add(PART, Ordering::Relaxed);
                    if from >= end {
                        break;
                    }
                    part(from, (from + PART).min(end), &results);
                    let results = lock(&results);
                    let programs = results.counts.get("programs").copied().unwrap_or(0);
                    let bad: usize = results.bad.values().map(Vec::len).sum();
                    eprintln!(
                        "{programs} programs, {} runs, {bad} disagreements in {} classes, {:.0} s, seeds below {}",
                        results.counts.get("runs").copied().unwrap_or(0),
                        results.bad.len(),
                        started.elapsed().as_secs_f64(),
                        next.load(Ordering::Relaxed).min(end)
                    );
                    // Write the results regularly, so that they survive if the run is ended from
                    // outside.
                    if let Err(error) = write(&results, options, next.load(Ordering::Relaxed).min(end), started) {
                        eprintln!("nothing is written: {error}");
                    }
                }
            });
        }
    });
    let results = std::mem::take(&mut *lock(&results));
    print!(
        "{}",
        write(&results, options, next.load(Ordering::Relaxed).min(end), started)?
    );
    shrink_some(&results, options)?;
    if results.bad.is_empty() {
        Ok(())
    } else {
        bail!("{} classes of disagreement", results.bad.len())
    }
}

fn lock(results: &Mutex<Results>) -> std::sync::MutexGuard<'_, Results> {
    results.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a worker for a part of the seeds. If it dies, continues after the seed at which it died.
fn part(mut from: u64, to: u64, results: &Mutex<Results>) {
    while from < to {
        match supervised(from, to, results) {
            None => return,
            Some((seed, way, how)) => {
                let mut results = lock(results);
                results.bad.entry(how.clone()).or_default().push((seed, way, how));
                from = seed.max(from) + 1;
            }
        }
    }
}

fn spawn(words: &[String]) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command.spawn()
}

/// Runs a worker. If it does not end normally, returns where and how it died.
fn supervised(from: u64, to: u64, results: &Mutex<Results>) -> Option<(u64, String, String)> {
    let words = ["--worker".to_owned(), from.to_string(), to.to_string()];
    let mut child = match spawn(&words) {
        Ok(child) => child,
        Err(error) => return Some((to, String::new(), format!("no worker: {error}"))),
    };
    let output = child.stdout.take()?;
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let (mut at, mut how) = ((from, String::new()), "crash".to_owned());
    let mut counts: Vec<(String, u64)> = Vec::new();
    let mut done = false;
    loop {
        let line = match receive.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                how = "hang".to_owned();
                let _ = child.kill();
                break;
            }
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
        };
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["at", seed, way] => at = (seed.parse().unwrap_or(from), way.to_owned()),
            ["bad", seed, way, class, detail] => {
                let mut results = lock(results);
                let known = results.bad.entry(class.to_owned()).or_default();
                known.push((seed.parse().unwrap_or(0), way.to_owned(), detail.to_owned()));
            }
            ["open", seed, way, reason] => {
                let mut results = lock(results);
                let known = results.open.entry(reason.to_owned()).or_default();
                if known.len() < 5 {
                    known.push((seed.parse().unwrap_or(0), way.to_owned()));
                }
            }
            ["count", name, n] => counts.push((name.to_owned(), n.parse().unwrap_or(0))),
            ["done"] => done = true,
            _ => {}
        }
    }
    let status = child.wait().ok();
    let mut results = lock(results);
    for (name, n) in counts {
        *results.counts.entry(name).or_default() += n;
    }
    drop(results);
    if done && status.is_some_and(|s| s.success()) {
        return None;
    }
    Some((at.0, at.1, format!("{how}: {status:?}")))
}

fn summary(results: &Results, options: &Options, to: u64, started: Instant) -> String {
    let mut text = format!(
        "seeds {}..{to}, {:.0} s\n\n",
        options.seed,
        started.elapsed().as_secs_f64()
    );
    for (name, n) in &results.counts {
        text += &format!("{n:10}  {name}\n");
    }
    text += "\nexamples of runs that did not decide\n";
    for (reason, all) in &results.open {
        for (seed, way) in all {
            text += &format!("{reason}: seed {seed}: {way}\n");
        }
    }
    text += "\ndisagreements\n";
    for (class, all) in &results.bad {
        text += &format!("{:10}  {class}\n", all.len());
        for (seed, way, detail) in all.iter().take(6) {
            text += &format!("              seed {seed}: {way}: {detail}\n");
        }
    }
    text
}

/// Writes the summary and the disagreements; returns the summary.
fn write(results: &Results, options: &Options, to: u64, started: Instant) -> Result<String> {
    let summary = summary(results, options, to, started);
    std::fs::write(options.out.join("summary.txt"), &summary)?;
    let mut list = std::fs::File::create(options.out.join("disagreements.tsv"))?;
    for (class, all) in &results.bad {
        for (seed, way, detail) in all {
            writeln!(list, "{class}\t{seed}\t{way}\t{detail}")?;
        }
    }
    Ok(summary)
}

/// Writes smaller programs for some disagreements of each class.
fn shrink_some(results: &Results, options: &Options) -> Result<()> {
    for (class, all) in &results.bad {
        let mut seeds = std::collections::BTreeSet::new();
        let fresh = all.iter().filter(|(seed, ..)| seeds.insert(*seed));
        for (seed, way, _) in fresh.take(options.shrink) {
            let words = [
                "--smaller".to_owned(),
                seed.to_string(),
                way.clone(),
                class.clone(),
            ];
            let output = spawn(&words)?.wait_with_output()?;
            let name: String = class
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                .collect();
            let file = options.out.join(format!("{name}-{seed}.c"));
            std::fs::write(&file, output.stdout)?;
            println!("written: {}", file.display());
        }
    }
    Ok(())
}
