//! The standard library of Rust as a module, made once and kept.
//!
//! rustc makes it for an empty program with link-time optimisation: the bitcode of all libraries,
//! joined, before anything is left out. This takes two seconds, twenty times as long as compiling a
//! small program. So the module is kept in the user's cache directory
//! (`$XDG_CACHE_HOME/selvedge`, or `~/.cache/selvedge`), under a name that says what it was made
//! of: the release and the commit of rustc, our options, and the names, sizes and times of the
//! library's files. A kept module begins with a digest of its contents; one that does not fit, or
//! cannot be read, is made again. Where nothing can be kept, it is made each time.

use crate::Error;
use crate::rustc::{self, Rustc};
use selvedge_base::{Digest, Domain};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The program that needs nothing.
const EMPTY: &str = "#![no_main]\n";
/// How the name of the module ends that rustc keeps of all libraries.
const JOINED: &str = ".lto.input.bc";
/// Where the libraries are, below the directory of the toolchain.
const LIBRARIES: &str = "lib/rustlib/x86_64-unknown-linux-gnu/lib";
/// The number of kept modules. Older ones are removed.
const MOST: usize = 4;

static NAME: Domain = Domain::new("name of the module of Rust's standard library");
static CONTENTS: Domain = Domain::new("module of Rust's standard library");

/// The module, kept or made.
pub(crate) fn module(rustc: &Rustc<'_>) -> Result<Vec<u8>, Error> {
    let kept = name(rustc)?.and_then(|name| Some(directory()?.join(name)));
    if let Some(bytes) = kept.as_deref().and_then(read) {
        return Ok(bytes);
    }
    let bytes = make(rustc)?;
    if let Some(path) = kept {
        // It is made again next time if this fails.
        let _ = keep(&path, &bytes);
    }
    Ok(bytes)
}

fn make(rustc: &Rustc<'_>) -> Result<Vec<u8>, Error> {
    let source = rustc.directory.join("empty.rs");
    fs::write(&source, EMPTY).map_err(Error::CompilerIo)?;
    let out = rustc.directory.join("std");
    fs::create_dir(&out).map_err(Error::CompilerIo)?;
    let said = rustc.run(&source, |command| {
        command.args([
            "--crate-name=selvedge_std",
            "--edition=2021",
            "--emit=link",
            "-Csave-temps",
        ]);
        command.arg("--out-dir").arg(&out);
    })?;
    rustc::file_in(&out, JOINED)?.ok_or_else(|| Error::CompilerFailed {
        path: source,
        stderr: format!("error: rustc kept no module of the standard library\n{said}"),
    })
}

/// The name under which the module is kept; `None` if rustc's libraries are not found.
fn name(rustc: &Rustc<'_>) -> Result<Option<String>, Error> {
    let mut made_of = rustc.said(&["-vV"])?;
    let root = rustc.said(&["--print", "sysroot"])?;
    let Ok(entries) = fs::read_dir(Path::new(root.trim()).join(LIBRARIES)) else {
        return Ok(None);
    };
    let mut files = Vec::new();
    for entry in entries {
        let described = entry.and_then(|entry| {
            let meta = entry.metadata()?;
            let time = meta
                .modified()?
                .duration_since(UNIX_EPOCH)
                .map_or(0, |time| time.as_nanos());
            Ok(format!("{:?} {} {time}\n", entry.file_name(), meta.len()))
        });
        files.push(described.map_err(Error::CompilerIo)?);
    }
    files.sort_unstable();
    made_of.extend(files);
    made_of.extend(rustc::ARGUMENTS);
    Ok(Some(format!(
        "rust-std-{}.bc",
        hex(Digest::of_bytes(&NAME, made_of.as_bytes()))
    )))
}

fn hex(digest: Digest) -> String {
    let mut text = String::new();
    for word in digest.words() {
        let _ = write!(text, "{word:016x}");
    }
    text
}

/// The directory for what is kept; `None` if the user has none.
fn directory() -> Option<PathBuf> {
    let given = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = given("XDG_CACHE_HOME").or_else(|| Some(given("HOME")?.join(".cache")))?;
    Some(cache.join("selvedge"))
}

/// What is kept in a file, if it is complete.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = crate::files::read(path, crate::files::LARGEST).ok()?;
    let head = header(&[]).len();
    let contents = bytes.get(head..)?;
    if bytes[..head] != header(contents)[..] {
        return None;
    }
    bytes.drain(..head);
    Some(bytes)
}

/// The line before the contents.
fn header(contents: &[u8]) -> Vec<u8> {
    format!("selvedge {}\n", hex(Digest::of_bytes(&CONTENTS, contents))).into_bytes()
}

/// Keeps a module: others see all of it or nothing.
fn keep(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let Some(directory) = path.parent() else {
        return Ok(());
    };
    fs::create_dir_all(directory)?;
    let mut file = tempfile::Builder::new()
        .prefix(".rust-std-")
        .tempfile_in(directory)?;
    file.write_all(&header(bytes))?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    forget_old(directory)
}

/// Removes all but the latest modules.
fn forget_old(directory: &Path) -> io::Result<()> {
    let mut kept = Vec::new();
    for entry in directory.read_dir()? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("rust-std-") {
            kept.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    kept.sort_unstable();
    for (_, path) in kept.iter().rev().skip(MOST) {
        fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again_unless_it_was_changed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("below/rust-std-1.bc");
        assert_eq!(read(&path), None);
        keep(&path, b"a module").unwrap();
        assert_eq!(read(&path).as_deref(), Some(&b"a module"[..]));
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(read(&path), None);
        bytes.truncate(20);
        fs::write(&path, &bytes).unwrap();
        assert_eq!(read(&path), None);
    }

    #[test]
    fn only_the_latest_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        for number in 0..MOST + 3 {
            let path = directory.path().join(format!("rust-std-{number}.bc"));
            keep(&path, b"x").unwrap();
        }
        assert_eq!(directory.path().read_dir().unwrap().count(), MOST);
    }
}
