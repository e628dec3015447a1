//! Names of places in a program that are the same in the machine and in a native program.

use std::path::Path;

/// The name of a place: what is done there, with the file, the line and the column.
#[must_use]
pub fn site(access: &str, file: &str, line: u32, column: u32) -> String {
    // A path may be relative to another directory; the name of the file stays.
    let name = Path::new(file).file_name().unwrap_or_default();
    format!("{access} {}:{line}:{column}", name.to_string_lossy())
}
