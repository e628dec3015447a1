//! Objects, archives, programs and shared libraries: their bitcode, and their machine code without
//! bitcode.

use super::{Inputs, is_bitcode, module, within};
use crate::item::{Compiled, Item};
use crate::request::{Form, Role};
use crate::{Error, files};
use selvedge_objects::elf::{Elf, Kind};
use selvedge_objects::record::{self, Record, SECTION};
use selvedge_objects::{Malformed, archive};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Machine code in the inputs that has no known bitcode.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Native {
    /// The file that defines each symbol. Most of these have bitcode, too.
    pub symbols: BTreeMap<String, String>,
    /// Whether there may be more: a file does not list its symbols, or was not found.
    pub open: bool,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Shared libraries whose functions are modelled.
const MODELLED: [&str; 11] = [
    "libc.so.",
    "libm.so.",
    "libpthread.so.",
    "libdl.so.",
    "librt.so.",
    "ld-linux",
    "libgcc_s.so.",
    "libstdc++.so.",
    "libatomic.so.",
    "libc++.so.",
    "libc++abi.so.",
];

/// Where the system's loader looks.
const DIRECTORIES: [&str; 8] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib",
    "/usr/local/lib/x86_64-linux-gnu",
];

fn damaged(path: &Path) -> impl Fn(Malformed) -> Error {
    let path = path.to_owned();
    move |Malformed(detail)| Error::Damaged {
        path: path.clone(),
        detail,
    }
}

/// The modules of an object file.
struct Parts {
    modules: Vec<Compiled>,
    /// Sources without bitcode, and why.
    failures: Vec<(String, String)>,
}

impl Inputs {
    /// An object, a program or a shared library that was given.
    pub(super) fn linked(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        if !self.is_new(path) {
            return Ok(());
        }
        let elf = Elf::parse(bytes).map_err(damaged(path))?;
        let role = match elf.kind == Kind::Shared && !elf.is_program() {
            true => Role::Library(self.next_library()),
            false => Role::Program,
        };
        let parts = parts(path, &elf, role)?;
        if parts.modules.is_empty() && elf.is_program() {
            return Err(Error::NoBitcode {
                path: path.to_owned(),
                reason: reason(&parts, &elf),
            });
        }
        self.take(path, &elf, parts);
        self.libraries(path, &elf)
    }

    fn is_new(&mut self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|path| self.read.insert(path))
    }

    fn next_library(&self) -> u32 {
        let role = |item: &Item| match item {
            Item::Source(_, role) => *role,
            Item::Module(unit) => unit.role,
        };
        let number = |item| match role(item) {
            Role::Library(number) => number + 1,
            _ => 0,
        };
        self.items.iter().map(number).max().unwrap_or_default()
    }

    fn take(&mut self, path: &Path, elf: &Elf<'_>, parts: Parts) {
        let place = path.display().to_string();
        if parts.modules.is_empty() {
            let reason = reason(&parts, elf);
            self.native.notes.push(format!(
                "{place} has no bitcode{reason}: its functions have no body"
            ));
        }
        for (source, why) in parts.failures {
            let note = format!("{source} in {place} has no bitcode: its functions have no body: {why}");
            self.native.notes.push(note);
        }
        self.native.open |= elf.kind != Kind::Shared && !elf.lists_all();
        for symbol in elf.defined() {
            self.native
                .symbols
                .entry(symbol.name)
                .or_insert_with(|| place.clone());
        }
        self.items.extend(parts.modules.into_iter().map(Item::Module));
    }

    /// The shared libraries that a file needs, and those that these need.
    fn libraries(&mut self, path: &Path, elf: &Elf<'_>) -> Result<(), Error> {
        let mut seen = BTreeSet::new();
        let mut work = VecDeque::new();
        let origin = |path: &Path| path.parent().unwrap_or(Path::new("")).to_owned();
        work.push_back((origin(path), elf.dynamic()));
        while let Some((origin, dynamic)) = work.pop_front() {
            for name in &dynamic.needed {
                if MODELLED.iter().any(|known| name.starts_with(known)) || !seen.insert(name.clone()) {
                    continue;
                }
                let Some((path, bytes)) = self.find(name, &dynamic.search, &origin) else {
                    self.native.open = true;
                    let note = format!("the shared library {name} was not found: its functions have no body");
                    self.native.notes.push(note);
                    continue;
                };
                if !self.is_new(&path) {
                    continue;
                }
                let elf = Elf::parse(&bytes).map_err(damaged(&path))?;
                let parts = parts(&path, &elf, Role::Library(self.next_library()))?;
                work.push_back((path.parent().unwrap_or(Path::new("")).to_owned(), elf.dynamic()));
                self.take(&path, &elf, parts);
            }
        }
        Ok(())
    }

    /// Looks for a library as the system's loader does.
    fn find(&self, name: &str, search: &[String], origin: &Path) -> Option<(PathBuf, Vec<u8>)> {
        let own = search.iter().flat_map(|list| list.split(':'));
        let own = own.filter(|directory| !directory.is_empty()).map(|directory| {
            let origin = origin.to_string_lossy();
            let origin = if origin.is_empty() { "." } else { &*origin };
            PathBuf::from(directory.replace("${ORIGIN}", origin).replace("$ORIGIN", origin))
        });
        let variable = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let named: Vec<PathBuf> = std::env::split_paths(&variable)
            .filter(|p| p.is_absolute())
            .collect();
        let system = DIRECTORIES.iter().map(PathBuf::from);
        if name.contains('/') {
            let bytes = files::read(Path::new(name), files::LARGEST).ok()?;
            return Some((name.into(), bytes));
        }
        let mut places = own.chain(self.search.clone()).chain(named).chain(system);
        places.find_map(|directory| {
            let path = directory.join(name);
            let bytes = files::read(&path, files::LARGEST).ok()?;
            Some((path, bytes))
        })
    }

    /// The program that libtool's script starts.
    pub(super) fn libtool(&mut self, script: &Script) -> Result<(), Error> {
        let path = &script.program;
        let unreadable = |source| Error::NoFile {
            path: path.to_owned(),
            source,
        };
        let bytes = files::read(path, files::LARGEST).map_err(unreadable)?;
        self.search.extend(script.search.iter().cloned());
        self.linked(path, &bytes)
    }

    /// The members of an archive.
    pub(super) fn archive(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let mut bare = Vec::new();
        for member in archive::members(bytes).map_err(damaged(path))? {
            let outside;
            let name = within(path, &member.name);
            let contents = match member.place {
                Some(place) => &bytes[place],
                None => {
                    let file = path.parent().unwrap_or(Path::new("")).join(&member.name);
                    let unreadable = |source| Error::NoFile {
                        path: name.clone(),
                        source,
                    };
                    outside = files::read(&file, files::LARGEST).map_err(unreadable)?;
                    &outside[..]
                }
            };
            if is_bitcode(contents) {
                let unit = module(&name, contents.to_vec(), Form::Bitcode, Role::Archive)?;
                self.items.push(Item::Module(unit));
                continue;
            }
            let elf = Elf::parse(contents).map_err(damaged(&name))?;
            let parts = parts(&name, &elf, Role::Archive)?;
            if parts.modules.is_empty() && parts.failures.is_empty() {
                bare.push(member.name.clone());
                elf.defined().into_iter().for_each(|symbol| {
                    self.native
                        .symbols
                        .entry(symbol.name)
                        .or_insert_with(|| name.display().to_string());
                });
            } else {
                self.take(&name, &elf, parts);
            }
        }
        if !bare.is_empty() {
            let names = bare.join(", ");
            let note = format!(
                "{} has members without bitcode: their functions have no body: {names}",
                path.display()
            );
            self.native.notes.push(note);
        }
        Ok(())
    }
}

/// Why there is no bitcode, as far as a file tells.
fn reason(parts: &Parts, elf: &Elf<'_>) -> String {
    match parts.failures.first() {
        Some((source, why)) => format!(" ({source}: {why})"),
        None if elf.has_section(".gnu.lto_") => " that LLVM reads (gcc compiled it with -flto)".to_owned(),
        None => String::new(),
    }
}

/// The bitcode in a file: what `selvedge cc` has put there, else what clang has.
fn parts(path: &Path, elf: &Elf<'_>, role: Role) -> Result<Parts, Error> {
    let mut found = Parts {
        modules: Vec::new(),
        failures: Vec::new(),
    };
    for section in elf.sections(SECTION) {
        for record in record::records(section).map_err(damaged(path))? {
            let name = within(path, &record.head.source);
            match &record.head.failure {
                Some(why) => found.failures.push((record.head.source.clone(), why.clone())),
                None => {
                    let bytes = record.bitcode.to_vec();
                    if !is_bitcode(&bytes) {
                        return Err(Error::NotBitcode { path: name });
                    }
                    let mut unit = module(&name, bytes, Form::Recorded, role)?;
                    unit.read = unchanged(&record);
                    found.modules.push(unit);
                }
            }
        }
    }
    if found.modules.is_empty() && found.failures.is_empty() {
        // -ffat-lto-objects and -fembed-bitcode: one module in an object.
        for section in elf.sections(".llvm.lto").chain(elf.sections(".llvmbc")).take(1) {
            if is_bitcode(section) {
                found
                    .modules
                    .push(module(path, section.to_vec(), Form::Bitcode, role)?);
            }
        }
    }
    Ok(found)
}

/// The files that were compiled into a record and have not changed since: these may be quoted. A
/// record could name any file; but its author must know the file's hash, and so its contents.
fn unchanged(record: &Record<'_>) -> Vec<PathBuf> {
    let directory = Path::new(&record.head.directory);
    let same = |(name, hash): &(String, [u64; 2])| {
        let path = directory.join(name);
        let bytes = files::read(&path, files::LARGEST).ok()?;
        (record::digest(&bytes) == *hash).then_some(path)
    };
    record.head.read.iter().filter_map(same).collect()
}

/// A script that libtool makes in place of a program whose libraries are not installed yet.
#[derive(Debug)]
pub(super) struct Script {
    program: PathBuf,
    search: Vec<PathBuf>,
}

/// What a script of libtool starts, if this is one.
pub(super) fn libtool(path: &Path, bytes: &[u8]) -> Option<Script> {
    let text = std::str::from_utf8(bytes)
        .ok()
        .filter(|text| text.starts_with("#!"))?;
    let named = text
        .lines()
        .find_map(|line| line.split_once(" - temporary wrapper script for "))?;
    let name = Path::new(named.1.trim()).file_name().map(OsStr::to_owned)?;
    let directory = path.parent().unwrap_or(Path::new("")).join(".libs");
    let search = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("LD_LIBRARY_PATH=\""));
    let list = search.and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let places = list.split(':').filter(|place| place.starts_with('/'));
    Some(Script {
        program: directory.join(name),
        search: places.map(PathBuf::from).collect(),
    })
}
