//! What `selvedge cc` stores about a source in the object file: its bitcode, or the reason why
//! there is none.
//!
//! Records are ELF notes in the section [`SECTION`]. A linker concatenates the sections of its
//! inputs, so an executable contains the records of all files that it was linked from, in that
//! order; of an archive, those of the members that were linked.
//!
//! A note (ELF, figure 2-3) has three fields of four bytes: the length of its name, the length of
//! its contents, and a type. The name and the contents follow, both padded to a multiple of four
//! bytes. The contents are the length of the head in four bytes, the head, and the bitcode.

use crate::{Malformed, number, part};
use selvedge_base::{Digest, Domain};
use serde::{Deserialize, Serialize};

/// The section of records.
pub const SECTION: &str = ".note.selvedge";

const NAME: &[u8] = b"Selvedge\0";
const TYPE: u32 = 1;
/// The version of the head's format.
const VERSION: u32 = 1;

static FILE: Domain = Domain::new("a file that a compiler read");

/// The hash of a file's contents.
#[must_use]
pub fn digest(contents: &[u8]) -> [u64; 2] {
    Digest::of_bytes(&FILE, contents).words()
}

/// What is known about a source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Head {
    version: u32,
    /// The source as it was given to the compiler.
    pub source: String,
    /// The directory in which the compiler was run.
    pub directory: String,
    /// The files that the compiler read, without headers of the system, and the hashes of their
    /// contents.
    ///
    /// A report quotes such a file only if the file has this hash. The record comes from an
    /// untrusted source and can name any file that its reader may read; it must not make that file
    /// appear in a report.
    pub read: Vec<(String, [u64; 2])>,
    /// The reason why there is no bitcode.
    pub failure: Option<String>,
}

impl Head {
    /// The head for a source that was compiled in `directory`.
    #[must_use]
    pub fn new(source: String, directory: String) -> Head {
        Head {
            version: VERSION,
            source,
            directory,
            read: Vec::new(),
            failure: None,
        }
    }
}

/// A record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// What is known about the source.
    pub head: Head,
    /// Its bitcode; empty after a failure.
    pub bitcode: &'a [u8],
}

impl Record<'_> {
    /// The record as a note.
    ///
    /// # Errors
    /// If it is too long for a note.
    pub fn note(&self) -> Result<Vec<u8>, Malformed> {
        let head = postcard::to_allocvec(&self.head).map_err(|error| Malformed::new(error.to_string()))?;
        let length = |length: usize| {
            u32::try_from(length)
                .map_err(|_| Malformed::new("the bitcode is too long"))
                .map(u32::to_le_bytes)
        };
        let mut note = Vec::with_capacity(head.len() + self.bitcode.len() + 64);
        note.extend(length(NAME.len())?);
        note.extend(length(4 + head.len() + self.bitcode.len())?);
        note.extend(TYPE.to_le_bytes());
        note.extend(NAME);
        note.resize(note.len().next_multiple_of(4), 0);
        note.extend(length(head.len())?);
        note.extend(&head);
        note.extend(self.bitcode);
        note.resize(note.len().next_multiple_of(4), 0);
        Ok(note)
    }
}

/// The records in a section.
///
/// # Errors
/// If a record is damaged, or was written by another version of this program.
pub fn records(section: &[u8]) -> Result<Vec<Record<'_>>, Malformed> {
    let damaged = || Malformed::new(format!("its section {SECTION} is damaged"));
    let (mut at, mut records) = (0, Vec::new());
    while at < section.len() as u64 {
        let field = |n: u64| number(section, at + 4 * n, 4).ok_or_else(damaged);
        let (name, contents) = (field(0)?, 0);
        if name == 0 {
            // Linkers pad with zeros.
            at += 4;
            continue;
        }
        let (length, kind) = (field(1)?, field(2)?);
        let start = at + 12 + name.next_multiple_of(4) + contents;
        let same = part(section, at + 12, name) == Some(NAME) && kind == u64::from(TYPE);
        let contents = part(section, start, length)
            .filter(|_| same)
            .ok_or_else(damaged)?;
        records.push(record(contents)?);
        at = start + length.next_multiple_of(4);
    }
    Ok(records)
}

fn record(contents: &[u8]) -> Result<Record<'_>, Malformed> {
    let damaged = || Malformed::new(format!("a record in its section {SECTION} is damaged"));
    let length = number(contents, 0, 4).ok_or_else(damaged)?;
    let head = part(contents, 4, length).ok_or_else(damaged)?;
    let (version, _) = postcard::take_from_bytes::<u32>(head).map_err(|_| damaged())?;
    if version != VERSION {
        let what = format!("its bitcode is of another version of selvedge ({version}, not {VERSION})");
        return Err(Malformed::new(what));
    }
    let head = postcard::from_bytes(head).map_err(|_| damaged())?;
    Ok(Record {
        head,
        bitcode: &contents[4 + length as usize..],
    })
}
