//! Paths as URIs and back.

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// What is written as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The file that a URI names; `None` if it names none.
pub(crate) fn to_path(uri: &Uri) -> Option<PathBuf> {
    let path = uri.as_str().strip_prefix("file://")?;
    // A host, if there is one, must be this machine.
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    path.starts_with('/').then(|| PathBuf::from(path.as_ref()))
}

/// The URI of a file, which is named from a directory.
pub(crate) fn from_path(path: &str, directory: &Path) -> Option<Uri> {
    let mut whole = PathBuf::new();
    for part in directory.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    let whole = whole.to_str()?;
    Uri::from_str(&format!("file://{}", utf8_percent_encode(whole, KEPT))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive() {
        for path in ["/a/b.c", "/a b/ü#?.c", "/100%/x.c"] {
            let uri = from_path(path, Path::new("/nowhere")).unwrap();
            assert_eq!(to_path(&uri), Some(PathBuf::from(path)), "{uri:?}");
        }
        let uri = from_path("./src/../queue.c", Path::new("/w")).unwrap();
        assert_eq!(uri.as_str(), "file:///w/queue.c");
        assert_eq!(to_path(&Uri::from_str("untitled:Untitled-1").unwrap()), None);
    }
}
