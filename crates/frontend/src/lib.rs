//! The front end: C, C++ and LLVM modules to the intermediate representation.
//!
//! [`load`] compiles the inputs with clang 22 at `-O0`, links them and lowers the result. No LLVM pass that promotes,
//! folds or deletes is run: such passes use the freedom that undefined values give (`φ(1, undef)` becomes 1), and the checker
//! is there to find those. Statements are numbered as they stand in the bitcode. What the lowering cannot express becomes an
//! instruction `Unsupported` at its place, and reaching it makes the verdict *unknown*; it is never approximated.

mod child;
mod compile;
mod debug;
mod demangle;
mod error;
mod headers;
mod library;
mod llvm;
mod lower;
mod reach;
mod target;

pub use error::Error;

use selvedge_base::{FileId, IdVec, StopFlag};
use selvedge_ir::{FuncId, Module};
use std::path::PathBuf;

/// How to compile and what to load.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Further arguments for the compiler.
    pub cflags: Vec<String>,
    /// Directories for headers (`-I`).
    pub include: Vec<PathBuf>,
    /// Macros (`-D`), `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// The language standard (`c11`, `c++17`, …), for the inputs of its language.
    pub std: Option<String>,
    /// The function where the program begins.
    pub entry: String,
    /// Whether to link from the model library what the program needs and does not define.
    pub library: bool,
    /// Whether the program gets symbolic input from outside (arguments, standard input, files). Input that it makes itself, by
    /// `__VERIFIER_nondet_*` and the like, is seen without it.
    pub symbolic: bool,
    /// Ends loading, with [`Error::Stopped`], when set.
    pub stop: StopFlag,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            cflags: Vec::new(),
            include: Vec::new(),
            define: Vec::new(),
            std: None,
            entry: "main".to_owned(),
            library: true,
            symbolic: false,
            stop: StopFlag::new(),
        }
    }
}

/// A program, ready to run.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program.
    pub module: Module,
    /// The texts of the source files, for diagnostics; `None` for files that cannot be read.
    pub sources: IdVec<FileId, Option<String>>,
    /// Functions without a body that code reachable from the entry calls or takes the address of, in the order of ids.
    pub undefined: Vec<FuncId>,
    /// Weak symbols that nothing defines and whose address is null, sorted.
    pub absent: Vec<String>,
}

/// Compiles, links and lowers the inputs.
///
/// # Errors
/// If an input cannot be read or compiled, the inputs do not link, or there is no entry function.
pub fn load(inputs: &[PathBuf], options: &Options) -> Result<Loaded, Error> {
    if inputs.is_empty() {
        return Err(Error::NoInput);
    }
    let compiled = compile::compile_all(inputs, options)?;
    let context = llvm::Context::new();
    let mut program: Option<llvm::Module<'_>> = None;
    for unit in &compiled {
        if options.stop.is_set() {
            return Err(Error::Stopped);
        }
        let invalid = |detail| Error::InvalidBitcode {
            path: unit.path.clone(),
            detail,
        };
        let module = context.parse(&unit.bitcode).map_err(invalid)?;
        if unit.foreign {
            module.verify().map_err(invalid)?;
        } else {
            module.mark_as_written();
        }
        match &mut program {
            None => program = Some(module),
            Some(whole) => whole.link(module).map_err(|message| link_error(&message))?,
        }
    }
    let Some(program) = program else {
        return Err(Error::NoInput);
    };
    lower::lower(&program, options)
}

/// Sorts LLVM's linking errors.
fn link_error(message: &str) -> Error {
    let duplicate = message
        .split_once("Linking globals named '")
        .and_then(|(_, rest)| rest.split_once("': symbol multiply defined"));
    match duplicate {
        Some((symbol, _)) => Error::DuplicateSymbol {
            symbol: demangle::demangle(symbol),
        },
        None => Error::Link(message.to_owned()),
    }
}
