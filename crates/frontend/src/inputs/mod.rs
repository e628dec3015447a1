//! What the inputs are: sources, modules, and what a project's build made or knows.
//!
//! | input | what is taken of it |
//! | --- | --- |
//! | a source | itself; of Rust, with the standard library |
//! | a module (`.bc`, `.ll`, an object that is bitcode) | itself |
//! | an object, a program, a shared library | the records of `selvedge cc` in it, and those of the libraries that it needs |
//! | an archive | of those members that the program needs, what an object has |
//! | `compile_commands.json`, or a directory with one | of those sources that the program needs, what they compile to |
//!
//! Whether the program needs a member is decided where the modules are linked
//! ([`crate::isolate`]); here all are read.

mod database;
mod native;

pub(crate) use native::Native;

use crate::item::{Compiled, Item, Source};
use crate::request::{Form, Role};
use crate::{Error, Options, files, rust, target};
use selvedge_objects::{archive, elf};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// All that is known of the inputs before anything is compiled.
#[derive(Default, Debug)]
pub(crate) struct Inputs {
    /// In the order of linking.
    pub items: Vec<Item>,
    /// Machine code without bitcode.
    pub native: Native,
    /// Further directories to look for shared libraries in.
    search: Vec<PathBuf>,
    /// The objects, programs and libraries that were read.
    read: BTreeSet<PathBuf>,
}

/// Recognises the kinds of the inputs, and reads all except sources.
pub(crate) fn inspect(inputs: &[PathBuf], options: &Options) -> Result<Inputs, Error> {
    let mut found = Inputs::default();
    let mut databases = Vec::new();
    for path in inputs {
        let unreadable = |source| Error::NoFile {
            path: path.to_owned(),
            source,
        };
        let meta = std::fs::metadata(path).map_err(unreadable)?;
        if meta.is_dir() {
            databases.push(database::of_directory(path)?);
            continue;
        }
        match path.extension().and_then(|e| e.to_str()) {
            Some("c" | "cc" | "cp" | "cpp" | "cxx" | "c++" | "C" | "i" | "ii") => {
                files::open(path).map_err(unreadable)?;
                found
                    .items
                    .push(Item::Source(source(path, options), Role::Program));
            }
            Some("rs") => {
                files::open(path).map_err(unreadable)?;
                let modules = rust::compile(path, &options.cflags, &options.stop)?;
                found.items.extend(modules.map(Item::Module));
            }
            Some("bc") => {
                let bytes = files::read(path, files::LARGEST).map_err(unreadable)?;
                if !is_bitcode(&bytes) {
                    return Err(Error::NotBitcode {
                        path: path.to_owned(),
                    });
                }
                found
                    .items
                    .push(Item::Module(module(path, bytes, Form::Bitcode, Role::Program)?));
            }
            Some("ll") => {
                let bytes = files::read(path, files::LARGEST).map_err(unreadable)?;
                found
                    .items
                    .push(Item::Module(module(path, bytes, Form::Text, Role::Program)?));
            }
            Some("json") => databases.push(path.clone()),
            _ => {
                let bytes = files::read(path, files::LARGEST).map_err(unreadable)?;
                found.file(path, &bytes)?;
            }
        }
    }
    for path in databases {
        found.database(&path, options)?;
    }
    Ok(found)
}

impl Inputs {
    /// A file whose contents determine its kind.
    fn file(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        if bytes.starts_with(&elf::MAGIC) {
            return self.linked(path, bytes);
        }
        if bytes.starts_with(&archive::MAGIC) || bytes.starts_with(&archive::THIN) {
            return self.archive(path, bytes);
        }
        if is_bitcode(bytes) {
            self.items.push(Item::Module(module(
                path,
                bytes.to_vec(),
                Form::Bitcode,
                Role::Program,
            )?));
            return Ok(());
        }
        if let Some(script) = native::libtool(path, bytes) {
            return self.libtool(&script);
        }
        Err(Error::UnknownKind {
            path: path.to_owned(),
        })
    }
}

/// A source of the command line.
fn source(path: &Path, options: &Options) -> Source {
    let own = options.file_flags.iter().filter(|(file, _)| same(file, path));
    Source {
        file: path.to_owned(),
        directory: None,
        language: options.language.map(|language| language.word().to_owned()),
        flags: own.flat_map(|(_, flags)| flags.clone()).collect(),
        foreign: false,
    }
}

/// Whether two names lead to one file.
fn same(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(&[b'B', b'C', 0xc0, 0xde]) || bytes.starts_with(&[0xde, 0xc0, 0x17, 0x0b])
}

/// A module that is for our processor.
fn module(path: &Path, bytes: Vec<u8>, form: Form, role: Role) -> Result<Compiled, Error> {
    let triple = match form {
        Form::Text => target::of_text(&bytes),
        _ => target::of_bitcode(&bytes),
    };
    target::check(path, triple)?;
    Ok(Compiled {
        path: path.to_owned(),
        bytes,
        form,
        role,
        read: Vec::new(),
    })
}

/// The name of a part of a file, for messages.
fn within(path: &Path, part: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!("({part})"));
    name.into()
}
