//! The work of `selvedge cc` besides running the compiler: it compiles each source a second time,
//! to the bitcode that [`load`](crate::load) would make, and adds the bitcode to the file that the
//! compiler has written.
//!
//! The compiler's own result comes first, and nothing of it changes except for the added section.
//! Errors here are stored in the record, for the user who checks the program later.

use crate::{Error, compile, files};
use selvedge_objects::Malformed;
use selvedge_objects::command::Source;
use selvedge_objects::elf::{self, Elf};
use selvedge_objects::record::{self, Head, Record, SECTION};
use std::ffi::OsString;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Command;

/// The compiler, for C or for C++.
///
/// # Errors
/// If there is none of the version that is needed.
pub fn compiler(cxx: bool) -> Result<Command, Error> {
    compile::compiler(cxx)
}

/// The record of a source, as a note. `arguments`: the options that decide what it means; `input`:
/// standard input, if that is the source.
#[must_use]
pub fn note(source: &Source, arguments: &[OsString], input: Option<&[u8]>) -> Vec<u8> {
    let directory = std::env::current_dir().unwrap_or_default();
    let name = source.name.display().to_string();
    let mut head = Head::new(name.clone(), directory.display().to_string());
    let mut words = vec![OsString::from("-x"), OsString::from(&source.language)];
    words.extend(arguments.iter().cloned());
    let bitcode = match compile::compile_beside(&source.name, &words, input) {
        Ok((bitcode, read)) => {
            for path in read {
                if let Ok(bytes) = files::read(&path, files::LARGEST) {
                    head.read
                        .push((path.display().to_string(), record::digest(&bytes)));
                }
            }
            bitcode
        }
        Err(why) => {
            head.failure = Some(why);
            Vec::new()
        }
    };
    let record = Record {
        head,
        bitcode: &bitcode,
    };
    record.note().unwrap_or_else(|Malformed(why)| {
        let mut head = Head::new(name, String::new());
        head.failure = Some(why);
        Record { head, bitcode: &[] }.note().unwrap_or_default()
    })
}

/// Adds notes to an object, a program or a library. Files of other kinds stay as they are: a
/// device, a file of bitcode.
///
/// # Errors
/// What the system says, or that the file is damaged.
pub fn add(path: &Path, notes: &[u8]) -> io::Result<()> {
    if notes.is_empty() || !std::fs::metadata(path)?.is_file() {
        return Ok(());
    }
    let bytes = files::read(path, files::LARGEST)?;
    if !bytes.starts_with(&elf::MAGIC) {
        return Ok(());
    }
    let malformed = |Malformed(what)| io::Error::other(what);
    let elf = Elf::parse(&bytes).map_err(malformed)?;
    let added = elf.with_notes(SECTION, notes).map_err(malformed)?;
    let mut file = std::fs::OpenOptions::new().write(true).open(path)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(&added.tail)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&added.head)
}
