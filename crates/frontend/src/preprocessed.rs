//! Preprocessed C that gcc made (`.i`). Its headers use words of gcc that clang does not know, and
//! its atomic functions are called on `_Atomic` objects, which clang refuses. What clang cannot
//! compile as it is, is compiled once more behind a header that says what these words mean
//! (`crates/frontend/include/preprocessed_by_gcc.h`).

use crate::files;
use std::path::Path;

/// The header, as the compiler finds it.
pub(crate) const HEADER: &str = "preprocessed_by_gcc.h";

/// How gcc's header begins the definition of `atomic_flag`, and the same without a word that no
/// initialiser of clang fits: its functions access it atomically in any case.
const FLAG: (&str, &str) = ("typedef _Atomic struct", "typedef         struct");
/// How the definition ends. Other atomic structures keep the word.
const FLAG_ENDS: &str = "atomic_flag;";

/// Whether a file is preprocessed C, by its name.
pub(crate) fn is_preprocessed(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "i")
}

/// What to compile behind the header in place of a preprocessed file. `None` if it cannot be read,
/// or if its name cannot be written in a line marker.
pub(crate) fn text(file: &Path) -> Option<Vec<u8>> {
    let name = file.to_str()?;
    if name.contains(['"', '\\', '\n', '\r']) {
        return None;
    }
    let text = files::read_text(file, files::LARGEST).ok()?;
    let is_flag = |at: &usize| {
        let end = text[*at..].split_once('}').map(|(_, rest)| rest.trim_start());
        end.is_some_and(|end| end.starts_with(FLAG_ENDS))
    };
    let flag = text.match_indices(FLAG.0).map(|(at, _)| at).find(is_flag);
    let text = match flag {
        Some(at) => [&text[..at], FLAG.1, &text[at + FLAG.0.len()..]].concat(),
        None => text,
    };
    Some(format!("# 1 \"{name}\"\n{text}").into_bytes())
}
