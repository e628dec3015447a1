//! The front end: from C, C++ and LLVM modules to the intermediate representation.
//!
//! [`load_isolated`] compiles the inputs with clang 22 at `-O0`, links them and lowers the result,
//! with LLVM in a process of its own (`isolate`). [`load`] does the same with LLVM in this process.
//! No LLVM pass that promotes, folds or deletes is run. Such passes use the freedom that undefined
//! values give (`φ(1, undef)` becomes 1), and the checker has to find undefined values. Statements
//! are numbered in the order of the bitcode. An instruction that the lowering cannot express
//! becomes `Unsupported` at its place. Reaching it makes the verdict *unknown*; it is never
//! approximated.

mod child;
mod compile;
mod debug;
mod error;
pub mod files;
mod headers;
mod inputs;
mod isolate;
mod item;
mod llvm;
mod lower;
mod options;
mod preprocessed;
mod request;
mod rust;
mod rust_std;
mod rustc;
mod shapes;
mod target;
pub mod wrap;

pub use error::Error;
pub use isolate::{Reader, serve};
pub use lower::library_has;
pub use options::{LENIENT, Options};

use inputs::Native;
use item::Compiled;
use lower::Lowered;
use request::Role;
use selvedge_base::{FileId, IdVec};
use selvedge_ir::{FuncId, Module};
pub use selvedge_objects::command::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A program, ready to run.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program.
    pub module: Arc<Module>,
    /// The texts of the source files, for diagnostics; `None` for those that the compiler did not
    /// read.
    pub sources: IdVec<FileId, Option<String>>,
    /// The places of the source files when the program was compiled, as the debug information has
    /// them.
    pub paths: IdVec<FileId, String>,
    /// Functions without a body that code reachable from the entry calls or takes the address of,
    /// in the order of ids; without those that only backtraces of panics in Rust need.
    pub undefined: Vec<FuncId>,
    /// Weak symbols that nothing defines and whose address is null, sorted.
    pub absent: Vec<String>,
    /// Whether LLVM could be confined.
    pub confined: bool,
    /// Those of `undefined` whose machine code is in an input, and the input.
    pub machine_code: BTreeMap<FuncId, String>,
    /// Notes on machine code among the inputs that has no bitcode.
    pub notes: Vec<String>,
}

/// Compiles, links and lowers the inputs. LLVM runs in another process.
///
/// # Errors
/// If an input cannot be read or compiled, the inputs do not link, LLVM crashes on them, or there
/// is no entry function.
pub fn load_isolated(inputs: &[PathBuf], options: &Options, reader: &Reader) -> Result<Loaded, Error> {
    let (units, native) = compiled(inputs, options)?;
    let read = isolate::in_reader(&units, &native, options, reader);
    let (lowered, confined) = read.map_err(|error| noted(error, &native))?;
    Ok(finish(lowered, &units, native, (confined, options)))
}

/// Compiles, links and lowers the inputs with LLVM in this process. It is for tests and tools whose
/// programs are trusted: if LLVM crashes on one, so does the caller.
///
/// # Errors
/// As [`load_isolated`], without crashes.
pub fn load(inputs: &[PathBuf], options: &Options) -> Result<Loaded, Error> {
    let (units, native) = compiled(inputs, options)?;
    let lowered = isolate::in_process(&units, &native, options).map_err(|error| noted(error, &native))?;
    Ok(finish(lowered, &units, native, (false, options)))
}

/// A missing entry may be in machine code without bitcode; adds notes on this.
fn noted(error: Error, native: &Native) -> Error {
    match error {
        Error::NoEntry { entry, .. } => Error::NoEntry {
            entry,
            notes: native.notes.clone(),
        },
        error => error,
    }
}

fn compiled(inputs: &[PathBuf], options: &Options) -> Result<(Vec<Compiled>, Native), Error> {
    if inputs.is_empty() {
        return Err(Error::NoInput);
    }
    let inputs = inputs::inspect(inputs, options)?;
    Ok((compile::compile_all(inputs.items, options)?, inputs.native))
}

/// The program, with the sources that may be quoted.
///
/// The names of files in a program are chosen by its author (`#line`, debug information). A report
/// that quotes them would show any file of the user who runs it. So only files that the compiler
/// read are quoted: the inputs that are sources, and the files that they include.
fn finish(
    mut lowered: Lowered,
    units: &[Compiled],
    native: Native,
    (confined, options): (bool, &Options),
) -> Loaded {
    if options.poll_once {
        selvedge_analysis::polling::poll_once(&mut lowered.module);
        selvedge_analysis::cxx_waits::look_once(&mut lowered.module);
    }
    if options.scratch_registers {
        selvedge_analysis::scratch::keep_in_registers(&mut lowered.module);
    }
    if options.asks_guards {
        selvedge_analysis::static_guards::ask(&mut lowered.module);
    }
    selvedge_analysis::cxx_snapshots::strengthen(&mut lowered.module);
    selvedge_analysis::rust_start::make_empty(&mut lowered.module);
    selvedge_analysis::rust_panics::tell(&mut lowered.module);
    if options.rust_claims {
        selvedge_analysis::rust_start::strengthen(&mut lowered.module);
        // Only of sources it is known that no function has become part of another one.
        let optimises = |flag: &String| flag == "-O" || flag.contains("opt-level") || flag.contains("inline");
        let is_source = |unit: &Compiled| unit.role == Role::Definitions || !unit.read.is_empty();
        if units.iter().all(is_source) && !options.cflags.iter().any(optimises) {
            selvedge_analysis::rust_counts::end_weak_plainly(&mut lowered.module);
            if options.rust_threads_kept {
                selvedge_analysis::rust_counts::keep_for_threads(&mut lowered.module);
            }
        }
        let locks = selvedge_analysis::rust_locks::claim(&mut lowered.module);
        if locks > 0 {
            selvedge_analysis::rust_condvars::model(&mut lowered.module);
        }
        selvedge_analysis::rust_rwlocks::claim(&mut lowered.module);
        selvedge_analysis::rust_once::claim(&mut lowered.module);
        selvedge_analysis::rust_owners::ask(&mut lowered.module);
        if options.rust_threads_kept {
            selvedge_analysis::rust_streams::open_first(&mut lowered.module);
        }
        selvedge_analysis::rust_crates::claim(&mut lowered.module);
        selvedge_analysis::rust_backoff::look_once(&mut lowered.module);
        selvedge_analysis::rust_scopes::claim(&mut lowered.module);
        selvedge_analysis::rust_channels::join(&mut lowered.module);
    }
    selvedge_analysis::signal_points::insert(&mut lowered.module);
    let read = units.iter().flat_map(|unit| &unit.read);
    let quotable: BTreeSet<PathBuf> = read.filter_map(|path| path.canonicalize().ok()).collect();
    let text = |path: &String| {
        let path = Path::new(path).canonicalize().ok()?;
        let bytes = quotable
            .contains(&path)
            .then(|| files::read(&path, files::LARGEST).ok())??;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let functions = lowered.undefined.iter();
    let machine_code = functions.filter_map(|&id| {
        let place = native.symbols.get(&lowered.module.functions[id].name)?;
        Some((id, place.clone()))
    });
    Loaded {
        machine_code: machine_code.collect(),
        notes: native.notes,
        sources: lowered.paths.iter().map(text).collect(),
        paths: lowered.paths,
        module: Arc::new(lowered.module),
        undefined: lowered.undefined,
        absent: lowered.absent,
        confined,
    }
}
