//! Writing results: a closed pipe is no error, and files appear whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes to standard output; that the reader has gone away is fine.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// A line to standard error; nothing is done if that fails.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a file by way of a temporary one beside it.
pub(crate) fn write_file(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    if is_device(path) {
        return std::fs::write(path, text);
    }
    let temporary = temporary(path)?;
    let result = std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path));
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

/// Whether [`write_file`] will be able to write: asked before a run, so that its result is not lost. Leaves nothing behind.
pub(crate) fn writable(path: &Path) -> io::Result<()> {
    if is_device(path) {
        return Ok(()); // opening a pipe would wait for its reader
    }
    let temporary = temporary(path)?;
    std::fs::write(&temporary, "")?;
    std::fs::remove_file(&temporary)
}

/// A pipe or a device, such as /dev/null: it is written to, never replaced.
pub(crate) fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// The name under which a file is written before it gets its own.
fn temporary(path: &Path) -> io::Result<PathBuf> {
    let mut name = path
        .file_name()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?
        .to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(name))
}
