//! What a project's build makes, as data: object files and what is linked from them (`elf`),
//! archives (`archive`), the bitcode that `selvedge cc` puts into them (`record`); and what decides
//! how it is made: command lines of compilers (`command`), `compile_commands.json` (`database`),
//! and which of their options run no code (`allowed`).
//!
//! Nothing here reads files or runs programs. All of it is given bytes of somebody else: each
//! length and offset is checked, and what is damaged is an error in words.

pub mod allowed;
pub mod archive;
pub mod command;
pub mod database;
pub mod elf;
pub mod record;
mod words;

pub use words::split;

/// What is wrong with the bytes of a file, in words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

impl Malformed {
    fn new(what: impl Into<String>) -> Malformed {
        Malformed(what.into())
    }
}

/// So many bytes from this one on, if there are as many.
fn part(bytes: &[u8], from: u64, length: u64) -> Option<&[u8]> {
    let from = usize::try_from(from).ok()?;
    let to = from.checked_add(usize::try_from(length).ok()?)?;
    bytes.get(from..to)
}

/// A number of two, four or eight bytes, the lowest first.
fn number(bytes: &[u8], at: u64, width: u64) -> Option<u64> {
    let bytes = part(bytes, at, width)?;
    Some(bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte)))
}
