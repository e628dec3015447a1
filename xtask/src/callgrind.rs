//! Processor instructions as `valgrind --tool=callgrind` counts them.
use anyhow::Result;
pub fn available() -> Result<bool> {
    Ok(std::process::Command::new("valgrind")
        .arg("--version")
        .output()
        .is_ok())
}
