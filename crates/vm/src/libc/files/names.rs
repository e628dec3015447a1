//! Names of files: paths, the files that the options specify, and the existing names.
//!
//! There is one working directory, `.`. A path is normalised by its text alone, since there are no
//! symbolic links. The list of names only grows. A name that was removed refers to no file until it
//! is created again.

use super::content;
use super::errno::{EACCES, EISDIR, ENAMETOOLONG, ENOENT};
use super::kinds::declare_requests;
use super::table::{self, Kind};
use crate::memory::Site;
use crate::native::{Cx, Flow, Stop};
use crate::options::Options;
use crate::program::Error;
use crate::state::State;
use crate::value::Value;
use crate::word::{NameField, WordKey};
use selvedge_model::LimitKind;

/// A range of memory to be made symbolic.
pub(crate) struct Symbolic {
    /// Its first byte.
    pub address: u64,
    /// The number of bytes.
    pub size: u64,
    /// The name of the input.
    pub name: String,
}

/// Makes standard input and the files that the options specify. Returns those whose bytes are
/// symbolic.
///
/// # Errors
/// If one does not fit into memory.
pub(crate) fn load(options: &Options, state: &mut State) -> Result<Vec<Symbolic>, Error> {
    let mut symbolic = Vec::new();
    let stdin = table::stdin_file();
    match (&options.stdin, options.symbolic_stdin) {
        (Some(bytes), _) => fill(state, stdin, bytes, "standard input")?,
        (None, Some(size)) => {
            let address = reserve(state, stdin, size, "standard input")?;
            let name = "stdin".to_owned();
            symbolic.push(Symbolic { address, size, name });
        }
        (None, None) => {}
    }
    if options.requests.is_some() {
        declare_requests(state, stdin);
    }
    for (name, bytes) in &options.files {
        let file = given(state, name)?;
        fill(state, file, bytes, name)?;
    }
    for (name, size) in &options.symbolic_files {
        let file = given(state, name)?;
        let address = reserve(state, file, *size, name)?;
        symbolic.push(Symbolic {
            address,
            size: *size,
            name: format!("file:{name}"),
        });
    }
    Ok(symbolic)
}

/// Makes a file that the options name.
fn given(state: &mut State, name: &str) -> Result<u32, Error> {
    let no_room = || Error::GlobalTooLarge(name.to_owned(), 0);
    let file = table::new_file(state, Kind::Regular, 0o644).ok_or_else(no_room)?;
    let path = normal(name.as_bytes());
    let object = content::hidden_object(path.len() as u64, Site::default());
    let base = state.memory.allocate(0, object, 1).map_err(|_| no_room())?;
    poke(state, base, &path);
    let number = table::new_name(state).ok_or_else(no_room)?;
    state.set_word(WordKey::Name(number, NameField::Text), base);
    state.set_word(WordKey::Name(number, NameField::File), u64::from(file) + 1);
    table::set_links(state, file, 1);
    Ok(file)
}

fn reserve(state: &mut State, file: u32, size: u64, name: &str) -> Result<u64, Error> {
    if size == 0 {
        return Ok(0);
    }
    let object = content::hidden_object(size, Site::default());
    let base = state
        .memory
        .allocate(0, object, 16)
        .map_err(|_| Error::GlobalTooLarge(name.to_owned(), size))?;
    table::set_content(state, file, base);
    table::set_length(state, file, size);
    Ok(base)
}

fn fill(state: &mut State, file: u32, bytes: &[u8], name: &str) -> Result<(), Error> {
    let base = reserve(state, file, bytes.len() as u64, name)?;
    poke(state, base, bytes);
    Ok(())
}

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

// ---- paths
// -------------------------------------------------------------------------------------------------

/// The maximum length of a path.
const PATH_MAX: usize = 4096;
/// The maximum length of a component of a path.
const NAME_MAX: usize = 255;
/// Directories that always exist.
const DIRECTORIES: [&[u8]; 9] = [
    b"",
    b"/",
    b"/tmp",
    b"/var",
    b"/var/tmp",
    b"/dev",
    b"/proc",
    b"/sys",
    b"/etc",
];
/// Directories whose contents depend on the real machine.
const MACHINE: [&[u8]; 3] = [b"/dev/", b"/proc/", b"/sys/"];

/// A path without `.`, `..` and doubled slashes. The path of the working directory is empty.
fn normal(path: &[u8]) -> Vec<u8> {
    let absolute = path.first() == Some(&b'/');
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|&last| last != b"..") => {
                parts.pop();
            }
            b".." if absolute => {}
            _ => parts.push(part),
        }
    }
    let mut out = parts.join(&b'/');
    if absolute {
        out.insert(0, b'/');
    }
    out
}

/// The result of resolving a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// A file, with the number of its name.
    File(u32, u32),
    /// A device.
    Device(Kind),
    /// A directory.
    Directory,
    /// No file, but one could be created.
    Nothing(Vec<u8>),
    /// No file; the error number says why.
    Error(i32),
}

fn text(state: &State, number: u32) -> Vec<u8> {
    let base = state.word(WordKey::Name(number, NameField::Text));
    let size = state.memory.object_at(base).map_or(0, |(_, object)| object.size);
    (0..size)
        .map(|at| state.memory.peek_checked(base + at, 1).bits as u8)
        .collect()
}

fn file_of(state: &State, number: u32) -> Option<u32> {
    (state.word(WordKey::Name(number, NameField::File)) as u32).checked_sub(1)
}

/// The number of a name that was used before.
fn known(state: &State, path: &[u8]) -> Option<u32> {
    let count = state.word(WordKey::NameCount) as u32;
    (0..count).find(|&number| text(state, number) == path)
}

fn is_directory(state: &State, path: &[u8]) -> bool {
    let within = |number: u32| {
        file_of(state, number).is_some()
            && text(state, number)
                .strip_prefix(path)
                .is_some_and(|rest| rest.starts_with(b"/"))
    };
    DIRECTORIES.contains(&path)
        || path.split(|&b| b == b'/').all(|part| part == b"..")
        || (0..state.word(WordKey::NameCount) as u32).any(within)
}

/// Resolves a path.
pub(super) fn resolve(cx: &Cx<'_>, path: &[u8]) -> Result<Found, Stop> {
    if path.is_empty() {
        return Ok(Found::Error(ENOENT));
    }
    if path.len() >= PATH_MAX || path.split(|&b| b == b'/').any(|part| part.len() > NAME_MAX) {
        return Ok(Found::Error(ENAMETOOLONG));
    }
    let name = normal(path);
    let state = &*cx.state;
    match &name[..] {
        b"/dev/null" => return Ok(Found::Device(Kind::Null)),
        b"/dev/zero" => return Ok(Found::Device(Kind::Zero)),
        _ => {}
    }
    if let Some((number, file)) = known(state, &name).and_then(|n| Some((n, file_of(state, n)?))) {
        return Ok(Found::File(file, number));
    }
    if MACHINE.iter().any(|directory| name.starts_with(directory)) {
        let what = format!("file {}", String::from_utf8_lossy(&name));
        return Err(Flow::Unsupported(what));
    }
    if is_directory(state, &name) {
        return Ok(Found::Directory);
    }
    let parent = match name.iter().rposition(|&b| b == b'/') {
        Some(0) => &b"/"[..],
        Some(at) => &name[..at],
        None => b"",
    };
    Ok(if path.ends_with(b"/") || !is_directory(state, parent) {
        Found::Error(ENOENT)
    } else if matches!(parent, b"/" | b"/etc" | b"/var") {
        // The user has no permission to write there.
        Found::Error(EACCES)
    } else {
        Found::Nothing(name)
    })
}

/// Creates an empty file with a name that refers to no file.
pub(super) fn create(cx: &mut Cx<'_>, name: &[u8], mode: u32) -> Result<u32, Stop> {
    let Some(file) = table::new_file(cx.state, Kind::Regular, mode) else {
        return Err(too_many());
    };
    give_name(cx, name, file)?;
    table::set_links(cx.state, file, 1);
    Ok(file)
}

/// The error number for a path without a file that could be opened.
pub(super) fn no_file(found: &Found) -> Option<i32> {
    match found {
        Found::Nothing(_) => Some(ENOENT),
        // A file that may not be created does not exist either.
        Found::Error(EACCES) => Some(ENOENT),
        Found::Error(error) => Some(*error),
        Found::Directory => Some(EISDIR),
        Found::File(..) | Found::Device(_) => None,
    }
}

/// Makes a name refer to a file.
pub(super) fn give_name(cx: &mut Cx<'_>, name: &[u8], file: u32) -> Result<(), Stop> {
    let number = match known(cx.state, name) {
        Some(number) => number,
        None => {
            let base = content::allocate(cx, name.len() as u64)?;
            poke(cx.state, base, name);
            let Some(number) = table::new_name(cx.state) else {
                return Err(too_many());
            };
            cx.state.set_word(WordKey::Name(number, NameField::Text), base);
            number
        }
    };
    cx.state
        .set_word(WordKey::Name(number, NameField::File), u64::from(file) + 1);
    Ok(())
}

/// Removes a name; its file has one name less.
pub(super) fn take_name(cx: &mut Cx<'_>, number: u32) {
    if let Some(file) = file_of(cx.state, number) {
        let links = table::links(cx.state, file).saturating_sub(1);
        table::set_links(cx.state, file, links);
    }
    cx.state.set_word(WordKey::Name(number, NameField::File), 0);
}

/// The limit when numbers are exhausted.
pub(super) fn too_many() -> Stop {
    Flow::Limit(
        LimitKind::Memory,
        format!(
            "more than {} files or streams opened in one execution",
            table::MAX_FILE_NUMBERS
        ),
    )
}
