//! Places in the source, from debug information.

use crate::llvm::{Layout, Meta, Value};
use rustc_hash::FxHashMap;
use selvedge_base::{FileId, IdVec, Location, Span};
use std::path::Path;

/// The source files seen so far.
#[derive(Default)]
pub(crate) struct Files {
    names: IdVec<FileId, String>,
    paths: IdVec<FileId, String>,
    /// Whether they are files of the system.
    system: IdVec<FileId, bool>,
    ids: FxHashMap<(String, String), FileId>,
}

impl Files {
    fn file(&mut self, directory: String, name: String) -> FileId {
        if let Some(&id) = self.ids.get(&(directory.clone(), name.clone())) {
            return id;
        }
        let id = self.names.push(name.clone());
        self.system.push(Location::is_system_file(&name));
        self.paths
            .push(Path::new(&directory).join(&name).to_string_lossy().into_owned());
        self.ids.insert((directory, name), id);
        id
    }

    fn is_of_system(&self, file: FileId) -> bool {
        self.system.get(file).is_some_and(|&system| system)
    }

    /// The names, and the paths: in the directory where the compiler was.
    pub(crate) fn finish(mut self) -> (IdVec<FileId, String>, IdVec<FileId, String>) {
        if self.names.is_empty() {
            // Places without debug information are in the unknown file, and it has number 0.
            self.file(String::new(), String::new());
        }
        (self.names, self.paths)
    }
}

/// How many functions may be put into each other, at most. Debug information is not verified, and a
/// module may have a location in itself.
const DEEPEST: usize = 64;

/// Finds places for the functions of one LLVM module; remembers which scope is in which file.
#[derive(Default)]
pub(crate) struct Places<'m> {
    scopes: FxHashMap<Meta<'m>, FileId>,
}

impl<'m> Places<'m> {
    fn scope_file(&mut self, files: &mut Files, scope: Meta<'m>) -> FileId {
        if let Some(&id) = self.scopes.get(&scope) {
            return id;
        }
        let (directory, name) = scope.scope_file().unwrap_or_default();
        let id = files.file(directory, name);
        self.scopes.insert(scope, id);
        id
    }

    /// Where an instruction of a function is. If the compiler has put code of a library into a
    /// function of the program, where it did.
    pub(crate) fn instruction(
        &mut self,
        files: &mut Files,
        value: Value<'m>,
        function: Span,
    ) -> Option<Span> {
        let location = value.debug_loc()?;
        let own = self.location(files, location)?;
        if !files.is_of_system(own.file) || files.is_of_system(function.file) {
            return Some(own);
        }
        let outer = std::iter::successors(location.inlined_at(), |at| at.inlined_at());
        for at in outer.take(DEEPEST) {
            if let Some(span) = self.location(files, at)
                && !files.is_of_system(span.file)
            {
                return Some(span);
            }
        }
        Some(own)
    }

    fn location(&mut self, files: &mut Files, location: Meta<'m>) -> Option<Span> {
        let scope = location.scope()?;
        let (line, column) = location.line_column();
        Some(Span {
            file: self.scope_file(files, scope),
            line,
            column,
        })
    }

    /// Where a function is defined.
    pub(crate) fn function(&mut self, files: &mut Files, value: Value<'m>) -> Option<Span> {
        let subprogram = value.subprogram()?;
        let file = self.scope_file(files, subprogram);
        Some(Span {
            file,
            line: subprogram.subprogram_line(),
            column: 0,
        })
    }
}

impl<'m> Places<'m> {
    /// Where a global variable is defined.
    pub(crate) fn global(&mut self, files: &mut Files, value: Value<'m>) -> Option<Span> {
        let (file, line) = value.described()?.variable_place()?;
        let file = self.scope_file(files, file);
        Some(Span {
            file,
            line,
            column: 0,
        })
    }
}

/// The name of a variable in the debug information: the second field of its node.
pub(crate) fn variable_name<'m>(layout: Layout<'m>, variable: Meta<'m>) -> Option<String> {
    let name = layout.meta_value(variable).meta_operand(1)?.meta_string()?;
    (!name.is_empty()).then_some(name)
}
