//! Breakpoints at lines.

use crate::Debuggee;
use crate::protocol::Source;
use crate::tape::{Lines, Stop};
use selvedge_base::{FileId, Id};
use selvedge_ir::Module;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A breakpoint as it is reported to the client.
pub(crate) struct Breakpoint {
    pub(crate) id: u64,
    /// Why it will never be hit.
    pub(crate) refused: Option<String>,
}

/// The breakpoints of a session.
pub(crate) struct Breakpoints {
    /// The files of the program by path.
    files: BTreeMap<PathBuf, Vec<FileId>>,
    /// The lines that have code.
    lines: Lines,
    /// The breakpoints that are set: by file and line, with their ids.
    set: BTreeMap<(FileId, u32), u64>,
    next: u64,
}

/// The canonical path of a file.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

impl Breakpoints {
    pub(crate) fn new(debuggee: &Debuggee) -> Breakpoints {
        let mut files: BTreeMap<PathBuf, Vec<FileId>> = BTreeMap::new();
        for (id, name) in debuggee.program.module.files.iter_ids() {
            if let Some(path) = debuggee.paths.get(name) {
                files.entry(real(path)).or_default().push(id);
            }
        }
        Breakpoints {
            files,
            lines: debuggee.program.lines(),
            set: BTreeMap::new(),
            next: 1,
        }
    }

    /// The files of the program that the client refers to.
    fn meant(&self, module: &Module, source: &Source) -> Vec<FileId> {
        if let Some(number) = source.source_reference.filter(|&number| number > 0) {
            let known = number.checked_sub(1).filter(|&i| i < module.files.len() as u64);
            return known
                .map(|i| FileId::from_index(i as usize))
                .into_iter()
                .collect();
        }
        let Some(path) = &source.path else {
            return Vec::new();
        };
        if let Some(files) = self.files.get(&real(Path::new(path))) {
            return files.clone();
        }
        let same = module.files.iter_ids().filter(|(_, name)| *name == path);
        same.map(|(id, _)| id).collect()
    }

    /// Sets the breakpoints of a file; replaces the earlier ones of this file.
    pub(crate) fn set(&mut self, module: &Module, source: &Source, lines: &[i64]) -> Vec<Breakpoint> {
        let files = self.meant(module, source);
        self.set.retain(|(file, _), _| !files.contains(file));
        let mut told = Vec::new();
        for &line in lines {
            let id = self.next;
            self.next += 1;
            let with_code =
                |file: &&FileId| u32::try_from(line).is_ok_and(|line| self.lines.contains(&(**file, line)));
            let places: Vec<FileId> = files.iter().filter(with_code).copied().collect();
            for file in &places {
                self.set.insert((*file, line as u32), id);
            }
            let refused = match (files.is_empty(), places.is_empty()) {
                (true, _) => Some("the program has no code in this file".to_owned()),
                (false, true) => Some("no code of the program is at this line".to_owned()),
                (false, false) => None,
            };
            told.push(Breakpoint { id, refused });
        }
        told
    }

    /// The breakpoint at a stop. Only stops at lines have breakpoints.
    pub(crate) fn at(&self, module: &Module, stop: &Stop) -> Option<u64> {
        let span = module.stmts.get(stop.stmt)?.span;
        self.set
            .get(&(span.file, span.line))
            .copied()
            .filter(|_| stop.line > 0)
    }

    /// The files that have code.
    pub(crate) fn files_with_code(&self) -> BTreeSet<FileId> {
        self.lines.iter().map(|(file, _)| *file).collect()
    }
}
