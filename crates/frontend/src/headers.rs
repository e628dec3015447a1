//! Headers of our own that stand before the system's (`crates/frontend/include`).
//!
//! They lie in a temporary directory while the compiler runs, since it reads headers from files
//! only.

use std::io;
use std::path::Path;
use tempfile::TempDir;

/// By name, their texts.
const HEADERS: [(&str, &str); 1] = [("pthread.h", include_str!("../include/pthread.h"))];

/// The directory; it is gone with this value.
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
