//! `make demo`: real code that nobody here wrote. The thread pool of zstd, as the crate `zstd-sys` carries it, is checked
//! under a small driver (examples/zstd-pool): first as it is, then with one deliberate mistake of the caller.

use crate::process::{build_release, capture, cargo};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const DRIVER: &str = "examples/zstd-pool/driver.c";

pub fn run() -> Result<()> {
    let selvedge = build_release()?;
    let common = zstd()?;
    println!("\n=== zstd's thread pool: 2 workers, a queue of 2, 2 jobs, over all of its schedules ===\n");
    check(&selvedge, &common, &[], 0)?;
    println!("\n=== the same, but each job touches the counter without its lock ===\n");
    check(&selvedge, &common, &["-DFORGET_THE_LOCK"], 10)?;
    println!("\nBoth as expected. More to look at: examples/*.c, each with a comment that says what to see.");
    Ok(())
}

/// Runs the command in sight of the user and compares its exit code.
fn check(selvedge: &Path, common: &Path, options: &[&str], expected: i32) -> Result<()> {
    let mut command = Command::new(selvedge);
    command
        .arg("check")
        .args(["-DZSTD_MULTITHREAD", "-I"])
        .arg(common)
        .args(options)
        .arg(DRIVER);
    command.arg(common.join("pool.c")).arg(common.join("threading.c"));
    println!(
        "$ selvedge check -DZSTD_MULTITHREAD -I ZSTD {}{DRIVER} ZSTD/pool.c ZSTD/threading.c",
        options.iter().map(|o| format!("{o} ")).collect::<String>()
    );
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", selvedge.display()))?;
    if status.code() != Some(expected) {
        bail!("expected exit code {expected}, got {status}");
    }
    Ok(())
}

/// The directory of zstd's sources that the pool is in.
fn zstd() -> Result<PathBuf> {
    Ok(vendored("examples/zstd-pool/Cargo.toml", "zstd-sys")?.join("zstd/lib/common"))
}

/// The directory of a crate with vendored C sources that a manifest asks for; cargo fetches it when it is not there yet.
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
