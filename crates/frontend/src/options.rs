//! How programs are compiled and loaded.

#[cfg(doc)]
use crate::Error;
use selvedge_base::StopFlag;
use selvedge_objects::command::Language;
use std::path::PathBuf;

/// Options that make the compiler accept C as gcc did up to version 13: tentative definitions in
/// several sources are one variable, and constructs that are no longer C but were common are
/// warnings.
pub const LENIENT: [&str; 7] = [
    "-fcommon",
    "-Wno-error=implicit-int",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
];

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
    /// The language of all sources on the command line, if it is not that of their names.
    pub language: Option<Language>,
    /// Further arguments for the compiler for one source each.
    pub file_flags: Vec<(PathBuf, Vec<String>)>,
    /// True if C is accepted as older compilers accept it: see [`LENIENT`].
    pub lenient: bool,
    /// Targets of a build whose sources are part of the program.
    pub targets: Vec<String>,
    /// Whether a list of compile commands may ask for any option.
    pub trust: bool,
    /// The function where the program begins.
    pub entry: String,
    /// True if functions that the program needs and does not define are linked from the model
    /// library.
    pub library: bool,
    /// True if the program gets symbolic input from outside (arguments, standard input, files).
    /// Input that it requests itself, by `__VERIFIER_nondet_*` and similar functions, is found
    /// without this.
    pub symbolic: bool,
    /// True if the machine has peers for the program's sockets (`lib/peer.c`).
    pub serving: bool,
    /// True if bounded polling loops read once ([`selvedge_analysis::polling`]).
    pub poll_once: bool,
    /// True if scratch variables of atomic blocks are kept in registers
    /// ([`selvedge_analysis::scratch`]).
    pub scratch_registers: bool,
    /// True if the checks of C++'s local static variables are operations
    /// ([`selvedge_analysis::static_guards`]).
    pub asks_guards: bool,
    /// True if the waiting of Rust's locks is left out ([`selvedge_analysis::rust_locks`]).
    pub rust_claims: bool,
    /// With `rust_claims`: true if what Rust's library has for each thread is never destroyed
    /// ([`selvedge_analysis::rust_counts`]), and the buffer of standard output is made at the
    /// beginning ([`selvedge_analysis::rust_streams`]).
    pub rust_threads_kept: bool,
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
            language: None,
            file_flags: Vec::new(),
            lenient: false,
            targets: Vec::new(),
            trust: false,
            entry: "main".to_owned(),
            library: true,
            symbolic: false,
            serving: false,
            poll_once: false,
            scratch_registers: false,
            asks_guards: false,
            rust_claims: false,
            rust_threads_kept: false,
            stop: StopFlag::new(),
        }
    }
}
