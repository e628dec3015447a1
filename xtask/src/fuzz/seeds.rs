//! Well-formed inputs to start with: the smaller programs of the corpus and the examples, as
//! sources and as modules, and the findings and test cases that the command makes from them.

use super::run::Runner;
use super::{Case, File};
use anyhow::{Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The maximum number of programs.
const PROGRAMS: usize = 120;
/// The maximum size in bytes. Larger programs are skipped: in a small program, a random change
/// breaks something more often.
const LARGEST: u64 = 3000;
/// The number of these programs that are also compiled to modules, and run for findings.
const MODULES: usize = 40;

/// The inputs that doors change.
pub struct Seeds {
    /// C programs.
    pub sources: Vec<String>,
    /// Modules as bitcode.
    pub bitcode: Vec<Vec<u8>>,
    /// Modules as text.
    pub assembly: Vec<String>,
    /// Saved findings, each with its program.
    pub findings: Vec<(String, String)>,
    /// Test cases, each with its program.
    pub cases: Vec<(Vec<u8>, String)>,
    /// The long options of `check`.
    pub options: Vec<String>,
}

impl Seeds {
    /// Collects and makes the inputs that the wanted doors need.
    pub fn new(runner: &Runner, is_wanted: &dyn Fn(&str) -> bool) -> Result<Seeds> {
        let modules = is_wanted("bitcode") || is_wanted("assembly");
        let runs = is_wanted("finding") || is_wanted("ktest");
        let mut paths = Vec::new();
        for top in ["corpus", "examples"] {
            collect(Path::new(top), &mut paths)?;
        }
        paths.sort();
        // Select evenly from all folders.
        let step = paths.len().div_ceil(PROGRAMS).max(1);
        let paths: Vec<PathBuf> = paths.into_iter().step_by(step).take(PROGRAMS).collect();
        let mut seeds = Seeds {
            sources: Vec::new(),
            bitcode: Vec::new(),
            assembly: Vec::new(),
            findings: Vec::new(),
            cases: Vec::new(),
            options: options(runner)?,
        };
        for path in &paths {
            seeds.sources.push(fs::read_to_string(path)?);
        }
        let step = (paths.len() / MODULES).max(1);
        for (number, path) in paths.iter().step_by(step).enumerate() {
            let level = ["-O0", "-O1", "-O2"][number % 3];
            let debug = ["-g", "-g0"][number % 2];
            if modules {
                seeds.bitcode.extend(compile(path, &[level, debug, "-c"]));
                let text = compile(path, &[level, debug, "-S"]);
                let text = text.and_then(|text| String::from_utf8(text).ok());
                seeds.assembly.extend(text);
            }
            if runs {
                seeds.run(runner, &fs::read_to_string(path)?)?;
            }
        }
        let lacks_modules = modules && (seeds.bitcode.is_empty() || seeds.assembly.is_empty());
        let lacks_runs = runs && (seeds.findings.is_empty() || seeds.cases.is_empty());
        if lacks_modules || lacks_runs || seeds.options.is_empty() {
            bail!("the seeds are incomplete: is clang-22 there, and does the command work?");
        }
        Ok(seeds)
    }

    /// Runs a program and keeps its finding and its test case.
    fn run(&mut self, runner: &Runner, source: &str) -> Result<()> {
        let case = Case {
            files: vec![("p.c".to_owned(), source.into())],
            arguments: words(&[
                "check",
                "--max-time",
                "2",
                "--max-memory",
                "1G",
                "--progress",
                "never",
                "p.c",
            ]),
        };
        for (name, bytes) in runner.run_keeping(&case, &["FINDING.json", "FINDING.ktest"])? {
            match String::from_utf8(bytes) {
                Ok(text) if name == "FINDING.json" => self.findings.push((text, source.to_owned())),
                Ok(text) => self.cases.push((text.into(), source.to_owned())),
                Err(error) => self.cases.push((error.into_bytes(), source.to_owned())),
            }
        }
        Ok(())
    }
}

/// A command line as byte strings.
pub fn words(words: &[&str]) -> Vec<Vec<u8>> {
    words.iter().map(|word| word.as_bytes().to_vec()).collect()
}

/// A file with this text.
pub fn file(name: &str, text: impl Into<Vec<u8>>) -> File {
    (name.to_owned(), text.into())
}

fn collect(directory: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|e| e == "c") && entry.metadata()?.len() <= LARGEST {
            into.push(path);
        }
    }
    Ok(())
}

/// The program as a module, if it compiles without further options.
fn compile(path: &Path, flags: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("clang-22")
        .args(["-w", "-emit-llvm", "-o", "-"])
        .args(flags)
        .arg(path)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}

/// The long options of `check`, as its help lists them.
fn options(runner: &Runner) -> Result<Vec<String>> {
    let help = runner.help()?;
    let mut options: Vec<String> = help
        .split(|c: char| c.is_whitespace() || c == ',' || c == '[' || c == '=')
        .filter(|word| word.len() > 3 && word.starts_with("--"))
        .map(|word| {
            word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric())
                .to_owned()
        })
        .collect();
    options.sort();
    options.dedup();
    Ok(options)
}
