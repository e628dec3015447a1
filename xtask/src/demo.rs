//! `make demo`: checks real code that others wrote, and a small program of our own.
//!
//! - The thread pool of zstd, from the crate `zstd-sys`, under a small driver (examples/zstd-pool):
//!   first unchanged, then with one deliberate mistake of the caller, then with a size at which an
//!   exploration ends only because states recur.
//! - The decoder of LZ4 (`lz4-sys`, examples/lz4-decoder) on every input.
//! - A small program of our own (examples/covered.c): a set of schedules for all of its inputs, and
//!   the native program that keeps to it.

use crate::process::{build_release, capture, cargo};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A driver with the sources of a library.
#[derive(Clone)]
struct Example {
    driver: &'static str,
    /// The library's name as it is printed.
    library: &'static str,
    directory: PathBuf,
    sources: &'static [&'static str],
}

pub fn run() -> Result<()> {
    let selvedge = build_release()?;
    let pool = Example {
        driver: "examples/zstd-pool/driver.c",
        library: "ZSTD",
        directory: vendored("examples/zstd-pool/Cargo.toml", "zstd-sys")?.join("zstd/lib/common"),
        sources: &["pool.c", "threading.c"],
    };
    println!("\n=== zstd's thread pool: 2 workers, a queue of 2, 2 jobs, over all of its schedules ===\n");
    pool.check(&selvedge, &["-DZSTD_MULTITHREAD"], 0)?;
    println!("\n=== the same, but each job touches the counter without its lock ===\n");
    pool.check(&selvedge, &["-DZSTD_MULTITHREAD", "-DFORGET_THE_LOCK"], 10)?;
    println!(
        "\n=== 3 workers and 4 identical jobs, where states that are known again are not explored again ===\n"
    );
    let unfold = ["-DZSTD_MULTITHREAD", "--strategy", "unfold"];
    let identical = Example {
        driver: "examples/zstd-pool/identical.c",
        ..pool.clone()
    };
    identical.check(&selvedge, &unfold, 0)?;
    println!("\n=== 1 or 2 workers, a queue of 0 to 2, 0 to 2 jobs: every number, over all schedules ===\n");
    let inputs = Example {
        driver: "examples/zstd-pool/inputs.c",
        ..pool
    };
    inputs.check(&selvedge, &unfold, 0)?;
    let decoder = Example {
        driver: "examples/lz4-decoder/driver.c",
        library: "LZ4",
        directory: vendored("examples/lz4-decoder/Cargo.toml", "lz4-sys")?.join("liblz4/lib"),
        sources: &["lz4.c"],
    };
    println!("\n=== LZ4's decoder on every input of 12 bytes, into room for 16 ===\n");
    decoder.check(&selvedge, &["-DSIZE=12"], 0)?;
    println!(
        "\n=== A set of schedules for every word of at most one letter, and the program that keeps to it ===\n"
    );
    covered(&selvedge)?;
    println!("\nAll as expected. More to look at: examples/*.c, each with a comment that says what to see.");
    Ok(())
}

/// Covers a program, builds it, and runs it with two inputs. Prints the order of operations of each
/// run. The order must be the same when the program runs again with random delays.
fn covered(selvedge: &Path) -> Result<()> {
    let directory = PathBuf::from("target/demo");
    std::fs::create_dir_all(&directory)?;
    let (set, built, order) = (
        directory.join("covered.set"),
        directory.join("covered"),
        directory.join("order"),
    );
    let source = "examples/covered.c";
    let mut cover = Command::new(selvedge);
    cover.args(["cover", source, "--symbolic-args", "1:1", "--show", "-o"]);
    shown(cover.arg(&set))?;
    let mut build = Command::new(selvedge);
    build.args(["build", source, "--schedules"]).arg(&set);
    shown(build.arg("-o").arg(&built))?;
    for word in ["a", "x"] {
        let mut first = None;
        for delays in 0..10 {
            let mut run = Command::new(&built);
            run.arg(word).env("SELVEDGE_ORDER", &order);
            let again = first.is_some();
            let output = run.env("SELVEDGE_DELAYS", delays.to_string()).output()?;
            if !output.status.success() {
                bail!("{} {word}: {}", built.display(), output.status);
            }
            let mut text = std::fs::read_to_string(&order)?;
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            if !again {
                println!("$ {} {word}\n{printed}which has done:\n{text}", built.display());
            }
            // Independent operations may come in any order; those of one thread may not.
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_by_key(|line| line.split(' ').next().map(str::to_owned));
            text = lines.join("\n");
            let now = (text, printed);
            if *first.get_or_insert_with(|| now.clone()) != now {
                bail!("{} {word}: another order with delays", built.display());
            }
        }
    }
    println!("Ten runs of each, with random delays, did the same.");
    Ok(())
}

/// Prints a command and runs it with its output visible.
fn shown(command: &mut Command) -> Result<()> {
    let words: Vec<String> = command
        .get_args()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    println!("$ selvedge {}", words.join(" "));
    let status = command.status().context("cannot start the command")?;
    match status.success() {
        true => Ok(()),
        false => bail!("{status}"),
    }
}

impl Example {
    /// Runs the command with its output visible and compares its exit code.
    fn check(&self, selvedge: &Path, options: &[&str], expected: i32) -> Result<()> {
        let mut command = Command::new(selvedge);
        command.arg("check").args(options).arg("-I").arg(&self.directory);
        command
            .arg(self.driver)
            .args(self.sources.iter().map(|file| self.directory.join(file)));
        let sources: Vec<String> = self
            .sources
            .iter()
            .map(|file| format!("{}/{file}", self.library))
            .collect();
        println!(
            "$ selvedge check {} -I {} {} {}",
            options.join(" "),
            self.library,
            self.driver,
            sources.join(" ")
        );
        let status = command
            .status()
            .with_context(|| format!("cannot start {}", selvedge.display()))?;
        if status.code() != Some(expected) {
            bail!("expected exit code {expected}, got {status}");
        }
        Ok(())
    }
}

/// The directory of a crate with vendored C sources that a manifest depends on. Cargo fetches the
/// crate if it is not there.
pub fn vendored(manifest: &str, name: &str) -> Result<PathBuf> {
    let arguments = [
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--manifest-path",
        manifest,
    ];
    let metadata: serde_json::Value = serde_json::from_str(&capture(cargo().args(arguments))?)?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    let package = packages
        .iter()
        .find(|package| package["name"] == name)
        .with_context(|| format!("cargo does not know {name}"))?;
    let manifest = package["manifest_path"]
        .as_str()
        .with_context(|| format!("{name} has no path"))?;
    Path::new(manifest)
        .parent()
        .map(Path::to_path_buf)
        .with_context(|| format!("{name} has no directory"))
}
