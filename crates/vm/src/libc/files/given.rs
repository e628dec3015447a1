//! Standard input, and the files and directories that the options name.

use super::content;
use super::entries;
use super::kinds::declare_requests;
use super::system::{HOME, ROOT};
use super::table::{self, Kind};
use crate::memory::Site;
use crate::options::{GivenEntry, Options};
use crate::program::{Error, MOST_PEERS};
use crate::state::State;

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
    if options.peers.len() > MOST_PEERS {
        return Err(Error::TooManyPeers);
    }
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
    for (name, entry) in &options.tree {
        match entry {
            GivenEntry::Directory => {
                place(state, name, Kind::Directory, 0o755)?;
            }
            GivenEntry::File { bytes, executable } => {
                let mode = if *executable { 0o755 } else { 0o644 };
                let file = place(state, name, Kind::Regular, mode)?;
                fill(state, file, bytes, name)?;
            }
            GivenEntry::Link(target) => {
                let file = place(state, name, Kind::Link, 0o777)?;
                fill(state, file, target.as_bytes(), name)?;
            }
        }
    }
    for (name, bytes) in &options.files {
        let file = place(state, name, Kind::Regular, 0o644)?;
        fill(state, file, bytes, name)?;
    }
    for (name, size) in &options.symbolic_files {
        let file = place(state, name, Kind::Regular, 0o644)?;
        let address = reserve(state, file, *size, name)?;
        symbolic.push(Symbolic {
            address,
            size: *size,
            name: format!("file:{name}"),
        });
    }
    Ok(symbolic)
}

/// Makes a file, and the directories on its path that do not exist yet. A directory that exists is
/// taken as it is.
fn place(state: &mut State, path: &str, kind: Kind, mode: u32) -> Result<u32, Error> {
    let bytes = path.as_bytes();
    let mut at = if bytes.starts_with(b"/") { ROOT } else { HOME };
    let mut parts = bytes
        .split(|&b| b == b'/')
        .filter(|part| !part.is_empty() && *part != b".")
        .peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        if part == b".." {
            at = entries::parent(state, at).map_or(ROOT, |(above, _)| above);
            continue;
        }
        let wanted = if is_last { kind } else { Kind::Directory };
        let found = entries::find(state, at, part).map(|entry| entry.file);
        at = match found {
            Some(file) if wanted == Kind::Directory && table::kind(state, file) == wanted => file,
            Some(_) => return Err(Error::NameTaken(path.to_owned())),
            None => {
                let mode = if is_last { mode } else { 0o755 };
                let no_room = || Error::GlobalTooLarge(path.to_owned(), 0);
                let file = table::new_file(state, wanted, mode).ok_or_else(no_room)?;
                entries::give_at_start(state, at, part, file)?;
                file
            }
        };
    }
    match table::kind(state, at) == kind {
        true => Ok(at),
        false => Err(Error::NameTaken(path.to_owned())),
    }
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
    entries::poke(state, base, bytes);
    Ok(())
}
