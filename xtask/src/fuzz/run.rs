//! Runs the command on an input and judges how it ended.

use super::{Case, File};
use crate::process;
use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit for every input. The command is told to stop after two seconds, but the machine
/// may be busy.
const LONGEST: Duration = Duration::from_secs(60);
/// The limit on address space for every input.
const MOST_MEMORY: &str = "--as=12884901888";
/// The accepted exit codes: verified, usage error, unreadable input, inconclusive, violated.
const CODES: [i32; 5] = [0, 1, 2, 5, 10];

/// Runs the command.
pub struct Runner {
    binary: PathBuf,
    place: PathBuf,
}

/// How the command ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The exit code, if the command ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    signal: Option<i32>,
    /// Whether the command had to be killed.
    late: bool,
    /// Its standard error.
    pub said: String,
    /// Its running time.
    pub took: Duration,
}

impl Ended {
    /// The failure, if there is one.
    pub fn fault(&self) -> Option<String> {
        if self.late {
            return Some("it did not end".to_owned());
        }
        if let Some(signal) = self.signal {
            return Some(format!("signal {signal}"));
        }
        if let Some(line) = self.said.lines().find(|line| line.contains("panicked")) {
            return Some(line.to_owned());
        }
        if let Some(line) = self.said.lines().find(|line| line.contains("internal error")) {
            return Some(line.to_owned());
        }
        match self.code {
            Some(code) if CODES.contains(&code) => None,
            code => Some(format!("exit code {code:?}")),
        }
    }

    /// Whether LLVM crashed in the confined process, where a crash is accepted.
    pub fn contained(&self) -> bool {
        self.said.contains("LLVM crashed or did not end")
    }
}

impl Runner {
    /// A runner for this program.
    pub fn new(binary: &Path) -> Result<Runner> {
        let binary = binary
            .canonicalize()
            .with_context(|| format!("there is no {}", binary.display()))?;
        let place = std::path::absolute(process::target_directory().join("fuzz"))?;
        fs::create_dir_all(&place)?;
        Ok(Runner { binary, place })
    }

    /// The output of `check --help`.
    pub fn help(&self) -> Result<String> {
        process::capture(Command::new(&self.binary).args(["check", "--help"]))
    }

    /// The directory for failing inputs.
    pub fn failures(&self) -> PathBuf {
        self.place.join("failures")
    }

    /// A separate directory for one input.
    fn directory(&self) -> PathBuf {
        self.place.join(format!("work-{}", std::process::id()))
    }

    /// Runs the command on an input.
    pub fn run(&self, case: &Case) -> Result<Ended> {
        let directory = self.directory();
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(&directory)?;
        let ended = self.run_in(case, &directory);
        fs::remove_dir_all(&directory)?;
        ended
    }

    /// Runs the command on an input and returns some of the files that it wrote.
    pub fn run_keeping(&self, case: &Case, names: &[&str]) -> Result<Vec<File>> {
        let directory = self.directory();
        fs::create_dir_all(&directory)?;
        self.run_in(case, &directory)?;
        let left = names
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), fs::read(directory.join(name)).ok()?)));
        let left = left.collect();
        fs::remove_dir_all(&directory)?;
        Ok(left)
    }

    fn run_in(&self, case: &Case, directory: &Path) -> Result<Ended> {
        for (name, bytes) in &case.files {
            fs::write(directory.join(name), bytes)?;
        }
        let started = Instant::now();
        let mut child = Command::new("prlimit")
            .arg(MOST_MEMORY)
            .arg("--core=0")
            .arg(&self.binary)
            .args(case.arguments.iter().map(|word| OsStr::from_bytes(word)))
            .current_dir(directory)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("prlimit cannot be started")?;
        let stderr = child.stderr.take();
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(stderr) = stderr {
                let _ = stderr.take(1 << 20).read_to_end(&mut bytes);
            }
            bytes
        });
        let mut late = false;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > LONGEST && !late {
                late = true;
                child.kill()?;
            }
            thread::sleep(Duration::from_millis(2));
        };
        let took = started.elapsed();
        let said = reader.join().unwrap_or_default();
        Ok(Ended {
            code: status.code(),
            signal: status.signal(),
            late,
            said: String::from_utf8_lossy(&said).into_owned(),
            took,
        })
    }

    /// Saves a failing input and its failure.
    pub fn save(
        &self,
        door: &str,
        seed: u64,
        number: u64,
        case: &Case,
        ended: &Ended,
        fault: &str,
    ) -> Result<PathBuf> {
        let place = self.failures().join(format!("{door}-{seed}-{number}"));
        fs::create_dir_all(&place)?;
        for (name, bytes) in &case.files {
            fs::write(place.join(name), bytes)?;
        }
        let words: Vec<String> = case
            .arguments
            .iter()
            .map(|word| format!("{:?}", String::from_utf8_lossy(word)))
            .collect();
        let text = format!("{fault}\n\nselvedge {}\n\n{}\n", words.join(" "), ended.said);
        fs::write(place.join("WHAT-HAPPENED.txt"), text)?;
        Ok(place)
    }
}
