//! The products of a project's build, as data: object files and what is linked from them (`elf`),
//! archives (`archive`), and the bitcode that `selvedge cc` stores in them (`record`). Also what
//! controls a build: command lines of compilers (`command`), `compile_commands.json` (`database`),
//! and the compiler options that run no code (`allowed`).
//!
//! *Invariant*: this crate reads no files and runs no programs. All input bytes are untrusted: each
//! length and offset is checked, and damaged data gives an error with a text.

pub mod allowed;
pub mod archive;
pub mod command;
pub mod database;
pub mod elf;
pub mod record;
mod words;

pub use words::split;

/// Why the bytes of a file are malformed, as a text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

impl Malformed {
    fn new(what: impl Into<String>) -> Malformed {
        Malformed(what.into())
    }
}

/// `length` bytes from offset `from`; `None` if there are fewer.
fn part(bytes: &[u8], from: u64, length: u64) -> Option<&[u8]> {
    let from = usize::try_from(from).ok()?;
    let to = from.checked_add(usize::try_from(length).ok()?)?;
    bytes.get(from..to)
}

/// A little-endian number of `width` bytes (at most eight) at offset `at`.
fn number(bytes: &[u8], at: u64, width: u64) -> Option<u64> {
    let bytes = part(bytes, at, width)?;
    Some(bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte)))
}
