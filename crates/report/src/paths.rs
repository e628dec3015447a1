//! Paths of files and places in them as other tools want them.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use selvedge_base::Location;
use serde_json::{Value, json};
use std::path::Path;

/// What a path in a URI may not have as it is (RFC 3986, section 3.3); `/` divides it.
const IN_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A path from a directory, if the file is in it.
pub(crate) fn relative<'p>(file: &'p str, directory: &Path) -> &'p str {
    let inner = Path::new(file).strip_prefix(directory).ok();
    let inner = inner.and_then(Path::to_str).unwrap_or(file);
    inner.strip_prefix("./").unwrap_or(inner)
}

/// The URI of a file: relative to a directory if it is in it.
pub(crate) fn uri(file: &str, directory: &Path) -> String {
    let path = relative(file, directory);
    let encoded = utf8_percent_encode(path, IN_PATH);
    if path.starts_with('/') {
        return format!("file://{encoded}");
    }
    // What stands before a colon in the first part would be taken for a scheme.
    let first = path.split('/').next().unwrap_or_default();
    match first.contains(':') {
        true => format!("./{encoded}"),
        false => encoded.to_string(),
    }
}

/// A place as JSON.
pub(crate) fn location(at: &Location) -> Value {
    json!({"file": at.file, "line": at.line, "column": at.column, "function": at.function})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        let uri = |file| uri(file, Path::new("/home/me/work"));
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("./a.c"), "a.c");
        assert_eq!(uri("/home/me/work/src/ü.c"), "src/%C3%BC.c");
        assert_eq!(uri("/usr/include/a#b.h"), "file:///usr/include/a%23b.h");
        assert_eq!(uri("a:b.c"), "./a:b.c");
    }
}
