//! Runs all tests. `cargo test --workspace` runs the same tests, but one program after another: if
//! the last test of a program is long, the other cores are idle. Here as many programs run in
//! parallel as there are cores, and each but those that wait runs its tests sequentially.

use crate::process::{self, cargo};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::Instant;

/// The programs with the longest running times. They start first.
const LONG: [&str; 7] = [
    "cli/corpus",
    "cli/cover",
    "explore/strategies",
    "cli/rust",
    "cli/rust_locks",
    "cli/limits",
    "explore/unfold",
];

/// Programs whose tests mostly wait for processes: as many of their tests run at a time.
const WAITING: (&str, &str) = ("cli/cluster", "4");

/// A program with tests.
struct Program {
    name: String,
    path: PathBuf,
    /// The folder of their crate. The tests expect it as the current directory.
    folder: PathBuf,
}

/// Builds and runs all tests. The options are those of `cargo test`, such as `--release`.
pub fn run(options: &[String]) -> Result<()> {
    let mut programs = build(options)?;
    programs.sort_by_key(|program| {
        LONG.iter()
            .position(|&name| program.name == name)
            .unwrap_or(LONG.len())
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let waiting = Mutex::new(programs.into_iter());
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(program) = next(&waiting) {
                    if let Err(error) = examine(&program) {
                        eprintln!("{error:#}");
                        lock(&failed).push(program.name);
                    }
                }
            });
        }
    });
    let mut documents = cargo();
    documents
        .args(["test", "--workspace", "--doc", "--quiet"])
        .args(options);
    if let Err(error) = process::run(&mut documents) {
        eprintln!("{error:#}");
        lock(&failed).push("examples in documentation".to_owned());
    }
    let failed = failed.into_inner().unwrap_or_default();
    if failed.is_empty() {
        return Ok(());
    }
    bail!("failed: {}", failed.join(", "))
}

fn next(waiting: &Mutex<std::vec::IntoIter<Program>>) -> Option<Program> {
    lock(waiting).next()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Builds the tests of the workspace.
fn build(options: &[String]) -> Result<Vec<Program>> {
    let mut command = cargo();
    command
        .args([
            "test",
            "--workspace",
            "--no-run",
            "--message-format",
            "json-render-diagnostics",
        ])
        .args(options)
        .stderr(Stdio::inherit());
    let Output { status, stdout, .. } = command.output().context("cannot start cargo")?;
    if !status.success() {
        bail!("the tests cannot be built");
    }
    let messages = String::from_utf8(stdout).context("what cargo printed")?;
    let program = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        let of = |pointer: &str| message.pointer(pointer)?.as_str().map(str::to_owned);
        let is_test = message.pointer("/profile/test")?.as_bool()?;
        let path = of("/executable").filter(|_| is_test)?;
        let folder = PathBuf::from(of("/manifest_path")?).parent()?.to_path_buf();
        let package = folder.file_name()?.to_str()?.to_owned();
        Some(Program {
            name: format!("{package}/{}", of("/target/name")?),
            path: path.into(),
            folder,
        })
    };
    let programs: Vec<Program> = messages.lines().filter_map(program).collect();
    if programs.is_empty() {
        bail!("cargo has built no tests");
    }
    Ok(programs)
}

/// Runs the tests of a program. If one fails, the error is the program's output.
fn examine(program: &Program) -> Result<()> {
    let begun = Instant::now();
    let threads = match program.name == WAITING.0 {
        true => WAITING.1,
        false => "1",
    };
    let mut command = Command::new(&program.path);
    command
        .args(["--test-threads", threads, "--quiet"])
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .stdin(Stdio::null());
    let output = command
        .output()
        .with_context(|| format!("cannot start {}", program.path.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (name, seconds) = (&program.name, begun.elapsed().as_secs_f64());
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!(
            "{text}{errors}\n{name}: failed after {seconds:.1} s ({})",
            output.status
        );
    }
    // Programs with their own harness print what they have compared instead.
    let result = text.lines().find(|line| line.starts_with("test result: "));
    let result = result.or_else(|| text.lines().find(|line| !line.is_empty()));
    println!("{name}, {seconds:.1} s\n{}", result.unwrap_or("test result: ok"));
    Ok(())
}
