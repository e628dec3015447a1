//! Places in source text.

use crate::id_type;
use serde::{Deserialize, Serialize};

id_type! {
    /// A source file of the program under test.
    pub struct FileId(u32), "file";
}

/// A place in a source file; line and column count from 1, 0 means unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The line, from 1; 0 if the debug information has none.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
}

/// A place in readable form, as it appears in reports.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Location {
    /// Path of the file as the debug information gives it; empty if unknown.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
    /// The (demangled) function; empty if unknown.
    pub function: String,
}

impl Location {
    /// True if it is in a system header: the program calls this code, but its author did not write
    /// it.
    pub fn is_of_system(&self) -> bool {
        Location::is_system_file(&self.file)
    }

    /// True if a file is one of the system's, by its path.
    pub fn is_system_file(path: &str) -> bool {
        // The directories as clang names them for its own and the system's headers, and as Rust's
        // debug information names its library.
        const DIRECTORIES: [&str; 8] = [
            "/usr/include/",
            "/usr/lib/",
            "/rustc/",
            "library/alloc/src/",
            "library/core/src/",
            "library/panic_abort/src/",
            "library/std/src/",
            "library/std_detect/src/",
        ];
        DIRECTORIES.iter().any(|directory| path.starts_with(directory))
    }
}
