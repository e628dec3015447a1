//! Files that are written completely or not at all.

use std::io;
use std::path::{Path, PathBuf};

/// Writes a file through a temporary file beside it.
///
/// # Errors
/// The system's error.
pub fn write_file(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
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

/// True for a pipe or a device, such as /dev/null: it is written to, never replaced.
pub fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// The temporary name under which a file is written before it is renamed.
///
/// # Errors
/// If the path has no file name.
pub fn temporary(path: &Path) -> io::Result<PathBuf> {
    let mut name = path
        .file_name()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?
        .to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(name))
}
