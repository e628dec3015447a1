//! The entries of directories: which name in which directory stands for which file.
//!
//! An entry has a number, and entries never lose it: a name that was removed stands for no file
//! until it is created again in the same directory. So the number is also the entry's place in the
//! order in which a directory is read.
//! The directories that always exist (`system`) come before the others.

use super::content::{self, too_many};
use super::system::{self, HOME, ROOT};
use super::table::{self, Kind};
use crate::memory::{Object, Site};
use crate::native::{Cx, Stop};
use crate::program::Error;
use crate::state::State;
use crate::value::Value;
use crate::word::{NameField, WordKey};

/// The rights of the process on a file: reading 4, writing 2, searching or executing 1.
pub(super) fn rights(state: &State, file: u32) -> u32 {
    let mode = table::mode(state, file);
    if system::owner(file) == 0 {
        mode & 7
    } else {
        mode >> 6 & 7
    }
}

/// An entry of a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// Its number; `None` for a directory that always exists.
    pub number: Option<u32>,
    /// The file that it stands for.
    pub file: u32,
}

// ---- looking
// -------------------------------------------------------------------------------------------------

fn text_of(state: &State, number: u32) -> (u64, u64) {
    let base = state.word(WordKey::Name(number, NameField::Text));
    let size = state.memory.object_at(base).map_or(0, |(_, object)| object.size);
    (base, size)
}

/// The bytes of a hidden object.
pub(super) fn bytes(state: &State, base: u64, size: u64) -> Vec<u8> {
    let byte = |at| state.memory.peek_checked(base + at, 1).bits as u8;
    (0..size).map(byte).collect()
}

/// The name of an entry.
fn text(state: &State, number: u32) -> Vec<u8> {
    let (base, size) = text_of(state, number);
    bytes(state, base, size)
}

fn is_named(state: &State, number: u32, name: &[u8]) -> bool {
    let (base, size) = text_of(state, number);
    size == name.len() as u64
        && (0..size)
            .zip(name)
            .all(|(at, &byte)| state.memory.peek_checked(base + at, 1).bits as u8 == byte)
}

fn count(state: &State) -> u32 {
    state.word(WordKey::NameCount) as u32
}

fn directory_of(state: &State, number: u32) -> u32 {
    state.word(WordKey::Name(number, NameField::Directory)) as u32
}

fn file_of(state: &State, number: u32) -> Option<u32> {
    (state.word(WordKey::Name(number, NameField::File)) as u32).checked_sub(1)
}

/// The number of an entry that exists or existed.
fn known(state: &State, directory: u32, name: &[u8]) -> Option<u32> {
    (0..count(state))
        .find(|&number| directory_of(state, number) == directory && is_named(state, number, name))
}

/// The entry with a name.
pub(super) fn find(state: &State, directory: u32, name: &[u8]) -> Option<Entry> {
    if let Some((_, _, file)) = system::within(directory).find(|(_, known, _)| *known == name) {
        return Some(Entry { number: None, file });
    }
    let number = known(state, directory, name)?;
    Some(Entry {
        number: Some(number),
        file: file_of(state, number)?,
    })
}

/// The entry that comes at a place of the directory's order or behind it: its place, name and file.
/// The places 0 and 1 belong to `.` and `..`.
pub(super) fn from_place(state: &State, directory: u32, place: u64) -> Option<(u64, Vec<u8>, u32)> {
    let first = 2 + u64::from(system::RESERVED);
    let mut always = system::within(directory).map(|(i, name, file)| (2 + u64::from(i), name, file));
    if let Some((at, name, file)) = always.find(|(at, _, _)| *at >= place) {
        return Some((at, name.to_vec(), file));
    }
    let from = place.saturating_sub(first) as u32;
    (from..count(state)).find_map(|number| {
        let file = file_of(state, number).filter(|_| directory_of(state, number) == directory)?;
        Some((first + u64::from(number), text(state, number), file))
    })
}

/// Whether a directory has no entries.
pub(super) fn is_empty(state: &State, directory: u32) -> bool {
    from_place(state, directory, 2).is_none()
}

/// How many directories are in a directory.
pub(super) fn subdirectories(state: &State, directory: u32) -> u64 {
    let (mut place, mut found) = (2, 0);
    while let Some((at, _, file)) = from_place(state, directory, place) {
        found += u64::from(table::kind(state, file) == Kind::Directory);
        place = at + 1;
    }
    found
}

/// The directory that a directory is in, and its name there; `None` if it was removed.
pub(super) fn parent(state: &State, directory: u32) -> Option<(u32, Vec<u8>)> {
    if let Some((above, name)) = system::parent(directory) {
        return Some((above, name.to_vec()));
    }
    let number = (0..count(state)).find(|&number| file_of(state, number) == Some(directory))?;
    Some((directory_of(state, number), text(state, number)))
}

/// The absolute path of a directory; `None` if it, or one that it is in, was removed.
pub(super) fn path(state: &State, directory: u32) -> Option<Vec<u8>> {
    let (mut at, mut parts) = (directory, Vec::new());
    while at != ROOT {
        let (above, name) = parent(state, at)?;
        parts.push(name);
        at = above;
    }
    parts.push(Vec::new());
    parts.reverse();
    match parts.len() {
        1 => Some(b"/".to_vec()),
        _ => Some(parts.join(&b'/')),
    }
}

/// Whether a directory is another one, or below it.
pub(super) fn is_below(state: &State, directory: u32, above: u32) -> bool {
    let mut at = directory;
    while at != above && at != ROOT {
        match parent(state, at) {
            Some((next, _)) => at = next,
            None => return false,
        }
    }
    at == above
}

/// The directory from which relative paths start.
pub(super) fn working_directory(state: &State) -> u32 {
    match state.word(WordKey::WorkingDirectory) as u32 {
        0 => HOME,
        file => file - 1,
    }
}

/// Sets the directory from which relative paths start.
pub(super) fn set_working_directory(state: &mut State, directory: u32) {
    let word = match directory {
        HOME => 0,
        directory => u64::from(directory) + 1,
    };
    state.set_word(WordKey::WorkingDirectory, word);
}

// ---- changing
// -------------------------------------------------------------------------------------------------

/// Makes a name stand for a file, which has one name more.
pub(super) fn give(cx: &mut Cx<'_>, directory: u32, name: &[u8], file: u32) -> Result<(), Stop> {
    let number = match known(cx.state, directory, name) {
        Some(number) => number,
        None => {
            let base = content::allocate(cx, name.len() as u64)?;
            poke(cx.state, base, name);
            new_entry(cx.state, directory, base).ok_or_else(too_many)?
        }
    };
    set_file(cx.state, number, file);
    Ok(())
}

/// Makes a name stand for a file before the program starts.
///
/// # Errors
/// If there is no room.
pub(super) fn give_at_start(state: &mut State, directory: u32, name: &[u8], file: u32) -> Result<(), Error> {
    let no_room = || Error::GlobalTooLarge(String::from_utf8_lossy(name).into_owned(), 0);
    let object: Object = content::hidden_object(name.len() as u64, Site::default());
    let base = state.memory.allocate(0, object, 1).map_err(|_| no_room())?;
    poke(state, base, name);
    let number = new_entry(state, directory, base).ok_or_else(no_room)?;
    set_file(state, number, file);
    Ok(())
}

fn new_entry(state: &mut State, directory: u32, text: u64) -> Option<u32> {
    let number = table::new_name(state)?;
    state.set_word(WordKey::Name(number, NameField::Text), text);
    state.set_word(WordKey::Name(number, NameField::Directory), directory.into());
    Some(number)
}

fn set_file(state: &mut State, number: u32, file: u32) {
    state.set_word(WordKey::Name(number, NameField::File), u64::from(file) + 1);
    let links = table::links(state, file) + 1;
    table::set_links(state, file, links);
}

/// Removes an entry; its file has one name less.
pub(super) fn take(state: &mut State, number: u32) {
    if let Some(file) = file_of(state, number) {
        let links = table::links(state, file).saturating_sub(1);
        table::set_links(state, file, links);
    }
    state.set_word(WordKey::Name(number, NameField::File), 0);
}

/// Stores bytes in a hidden object.
pub(super) fn poke(state: &mut State, base: u64, bytes: &[u8]) {
    for (i, chunk) in bytes.chunks(8).enumerate() {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let value = Value::new(u64::from_le_bytes(word));
        state
            .memory
            .poke_checked(base + 8 * i as u64, chunk.len() as u64, value);
    }
}
