//! Our own headers, which the compiler finds before the system's (`crates/frontend/include`).
//!
//! They are in a temporary directory while the compiler runs, because it reads headers only from
//! files.

use crate::preprocessed;
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// The texts, by name. Those in folders are in the place of libc++'s.
const HEADERS: [(&str, &str); 4] = [
    ("pthread.h", include_str!("../include/pthread.h")),
    (
        preprocessed::HEADER,
        include_str!("../include/preprocessed_by_gcc.h"),
    ),
    (
        "__thread/poll_with_backoff.h",
        include_str!("../include/libcxx/__thread/poll_with_backoff.h"),
    ),
    (
        "__thread/this_thread.h",
        include_str!("../include/libcxx/__thread/this_thread.h"),
    ),
];

/// The directory. It is removed when this value is dropped.
pub(crate) struct Headers(TempDir);

impl Headers {
    /// Writes them.
    pub fn new() -> io::Result<Headers> {
        let directory = tempfile::Builder::new().prefix("selvedge-").tempdir()?;
        for (name, text) in HEADERS {
            let path = directory.path().join(name);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(path, text)?;
        }
        Ok(Headers(directory))
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
