//! The files that the program is given, as options and schedules name them.

use crate::given_tree::GivenTree;
use crate::peer::GivenPeer;
use selvedge_frontend::files;
use selvedge_vm::Requests;
use std::path::{Path, PathBuf};

/// The maximum number of bytes of symbolic arguments or files; more is a typing error.
pub const MOST_BYTES: u64 = 1 << 20;
/// The maximum number of arguments; more is a typing error.
pub const MOST_ARGS: u64 = 64;

/// A file that the program is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenFile {
    /// The text of the command line.
    pub text: String,
    /// The program's name for it; `-` for standard input.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// The files and inputs that the program is given.
#[derive(Clone, Default, Debug)]
pub struct Given {
    /// Standard input.
    pub stdin: Option<GivenFile>,
    /// Files.
    pub files: Vec<GivenFile>,
    /// Directories with all that is in them.
    pub trees: Vec<GivenTree>,
    /// Clients that connect to the program.
    pub peers: Vec<GivenPeer>,
    /// The test case from which fixed inputs were read.
    pub test_case: Option<PathBuf>,
}

impl Given {
    /// Gives the files to a machine's options.
    pub fn fill(&self, vm: &mut selvedge_vm::Options) {
        vm.stdin = self.stdin.as_ref().map(|file| file.bytes.clone());
        let files = self.files.iter();
        vm.files = files
            .map(|file| (file.name.clone(), file.bytes.clone()))
            .collect();
        let peers = self.peers.iter();
        vm.peers = peers.map(|peer| peer.script.clone()).collect();
        let trees = self.trees.iter();
        vm.tree = trees.flat_map(|tree| tree.entries.iter().cloned()).collect();
    }
}

/// Parses `NAME:BYTES`.
///
/// # Errors
/// The expected form, as text.
pub fn symbolic_file(text: &str) -> Result<(String, u64), String> {
    let expected = "expected NAME:BYTES, such as config.txt:16";
    let (name, bytes) = text.rsplit_once(':').ok_or(expected)?;
    let bytes: u64 = bytes.parse().map_err(|_| expected)?;
    if name.is_empty() {
        return Err(expected.to_owned());
    }
    if bytes > MOST_BYTES {
        return Err(format!("at most {MOST_BYTES} bytes"));
    }
    Ok((name.to_owned(), bytes))
}

/// Parses `SIZE`, or `SIZE:MOST`.
///
/// # Errors
/// The expected form, as text.
pub fn requests(text: &str) -> Result<Requests, String> {
    let expected = "expected BYTES or BYTES:MOST, such as 4, or 4:3 for at most three requests of 4 bytes";
    let number = |text: &str| text.parse::<u64>().map_err(|_| expected.to_owned());
    let (size, most) = match text.split_once(':') {
        Some((size, most)) => (number(size)?, Some(number(most)?)),
        None => (number(text)?, None),
    };
    if size == 0 || size > MOST_BYTES || most.is_some_and(|most| most > MOST_BYTES) {
        return Err(format!(
            "requests of 1 to {MOST_BYTES} bytes, at most {MOST_BYTES} of them"
        ));
    }
    Ok(Requests { size, most })
}

/// Parses `NAME=PATH`, or `NAME` for both.
///
/// # Errors
/// The expected form, or why the file cannot be read, as text.
pub fn given_file(text: &str) -> Result<GivenFile, String> {
    let (name, path) = text.split_once('=').unwrap_or((text, text));
    if name.is_empty() {
        return Err("expected NAME or NAME=PATH".to_owned());
    }
    read(text, name, path)
}

/// A variable of the environment, given as `NAME=VALUE`.
///
/// # Errors
/// The expected form, or what the model library has fixed, as text.
pub fn variable(text: &str) -> Result<String, String> {
    let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
        return Err("expected NAME=VALUE".to_owned());
    };
    // As lib/environment.c has it for changes.
    let of_locale = name.starts_with("LC_") || name.starts_with("LANG");
    if name == "TZ" && !["UTC", "UTC0"].contains(&value) {
        return Err("the time zone is always UTC".to_owned());
    }
    if of_locale && !["", "C", "POSIX"].contains(&value) {
        return Err("the locale is always C".to_owned());
    }
    Ok(text.to_owned())
}

/// The file that serves as standard input.
///
/// # Errors
/// Why it cannot be read.
pub fn stdin_file(text: &str) -> Result<GivenFile, String> {
    read(text, "-", text)
}

fn read(text: &str, name: &str, path: &str) -> Result<GivenFile, String> {
    let bytes = files::read(Path::new(path), MOST_BYTES);
    let bytes = bytes.map_err(|error| format!("cannot read {path}: {error}"))?;
    Ok(GivenFile {
        text: text.to_owned(),
        name: name.to_owned(),
        bytes,
    })
}
