//! Runs other programs and finds their products.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the checkout.
pub fn root() -> Result<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .parent()
        .map(Path::to_path_buf)
        .context("xtask has no parent directory")
}

/// The cargo that runs this program, without the variables that it has set for this program. Build
/// scripts look at some of them, so what they make would be compiled anew whenever cargo is started
/// from here after it was started from a shell, and the other way round.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let begins = ["CARGO_PKG_", "CARGO_MANIFEST_"];
    for (name, _) in std::env::vars_os() {
        if begins
            .iter()
            .any(|begin| name.to_string_lossy().starts_with(begin))
        {
            command.env_remove(name);
        }
    }
    command
}

/// The directory for cargo's build products.
pub fn target_directory() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// Prints a command and runs it with its output visible. An exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    eprintln!("$ {}", text(command));
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", text(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", text(command));
    }
    Ok(())
}

/// Runs a command without visible output and returns its standard output.
pub fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {}", text(command)))?;
    if !output.status.success() {
        bail!(
            "{} ended with {}:\n{}",
            text(command),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Builds the optimised `selvedge` and returns its path.
pub fn build_release() -> Result<PathBuf> {
    run(cargo().args(["build", "--release", "--quiet", "--package", "selvedge"]))?;
    Ok(target_directory().join("release/selvedge"))
}

/// Writes the man page. The command makes it from the text of its `--help`.
pub fn man(file: &str) -> Result<()> {
    let selvedge = build_release()?;
    let page = capture(Command::new(selvedge).arg("man"))?;
    if let Some(parent) = Path::new(file).parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(file, page).with_context(|| format!("cannot write {file}"))?;
    println!("{file}");
    Ok(())
}

fn text(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs a command whose exit code does not mean success or failure. Returns its standard output and
/// its standard error.
pub fn capture_errors(command: &mut Command) -> Result<(String, String)> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {}", text(command)))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&output.stdout), text(&output.stderr)))
}
