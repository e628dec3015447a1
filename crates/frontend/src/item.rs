//! What is linked: sources that are to be compiled, and modules.

use crate::request::{Form, Role};
use selvedge_objects::command::Language;
use std::path::PathBuf;

/// A source, and how it is compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    /// Its name for the compiler.
    pub file: PathBuf,
    /// Where the compiler is run, if not here.
    pub directory: Option<PathBuf>,
    /// Its language as `-x` has it, if its name does not say that.
    pub language: Option<String>,
    /// Its own options, of a build.
    pub flags: Vec<String>,
    /// True if the options were made for another compiler. Options that ours does not know are left
    /// out.
    pub foreign: bool,
}

impl Source {
    /// Where it is.
    pub fn path(&self) -> PathBuf {
        match &self.directory {
            Some(directory) => directory.join(&self.file),
            None => self.file.clone(),
        }
    }

    /// Whether it is compiled as C++.
    pub fn is_cxx(&self) -> bool {
        match &self.language {
            Some(language) => language.starts_with("c++"),
            None => Language::of(&self.file) != Some(Language::C),
        }
    }
}

/// What is to be linked.
#[derive(Debug)]
pub(crate) enum Item {
    /// To be compiled.
    Source(Source, Role),
    /// A module.
    Module(Compiled),
}

/// The module of one input.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The input.
    pub path: PathBuf,
    /// Its module.
    pub bytes: Vec<u8>,
    /// The form of the bytes, and what made them.
    pub form: Form,
    /// Whether it is part of the program.
    pub role: Role,
    /// The files that the compiler read for it.
    pub read: Vec<PathBuf>,
}
