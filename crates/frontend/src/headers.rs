//! Our own headers, which the compiler finds before the system's (`crates/frontend/include`).
//!
//! They are in a temporary directory while the compiler runs, because it reads headers only from
//! files.

use std::io;
use std::path::Path;
use tempfile::TempDir;

/// The texts, by name.
const HEADERS: [(&str, &str); 1] = [("pthread.h", include_str!("../include/pthread.h"))];

/// The directory. It is removed when this value is dropped.
pub(crate) struct Headers(TempDir);

impl Headers {
    /// Writes them.
    pub fn new() -> io::Result<Headers> {
        let directory = tempfile::Builder::new().prefix("selvedge-").tempdir()?;
        for (name, text) in HEADERS {
            std::fs::write(directory.path().join(name), text)?;
        }
        Ok(Headers(directory))
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
