//! Errors between the user's files and a module.

use std::path::PathBuf;

/// Why the inputs cannot be loaded. Each message is one paragraph that says how to fix the problem.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The run was told to stop before the program was loaded.
    #[error("interrupted while the inputs were compiled and loaded")]
    Stopped,
    /// No inputs at all.
    #[error("no input files were given")]
    NoInput,
    /// An input is missing or unreadable.
    #[error("cannot read {}: {source}", path.display())]
    NoFile {
        /// The input.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// An input is a directory.
    #[error("{} is a directory without a compile_commands.json; give the source or bitcode files themselves", path.display())]
    Directory {
        /// The input.
        path: PathBuf,
    },
    /// The extension names no language that is understood.
    #[error("{}: unknown kind of file; expected a source (.c, .cc, .cpp, .cxx, .i, .ii, .rs), LLVM's .bc or .ll, an object, archive, library or program, or a compile_commands.json", path.display())]
    UnknownKind {
        /// The input.
        path: PathBuf,
    },
    /// A `.bc` file that does not begin as bitcode does.
    #[error("{} is not LLVM bitcode (it does not begin with the bytes `BC`)", path.display())]
    NotBitcode {
        /// The input.
        path: PathBuf,
    },
    /// An object, an archive, a program or a list of compile commands that is no such thing.
    #[error("{}: {detail}", path.display())]
    Damaged {
        /// The input.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// A program that was not built by `selvedge cc`.
    #[error("{} has no bitcode{reason}; build it with CC=\"selvedge cc\" and CXX=\"selvedge c++\"", path.display())]
    NoBitcode {
        /// The input.
        path: PathBuf,
        /// Why, if that is known.
        reason: String,
    },
    /// A list of compile commands asks for an option that may run code.
    #[error(
        "{}: it compiles {} with the option `{flag}`, which is not among those that are known to run no code; \
         --trust permits whatever the file asks for",
        path.display(), source_file.display()
    )]
    Untrusted {
        /// The list.
        path: PathBuf,
        /// The source.
        source_file: PathBuf,
        /// The option.
        flag: String,
    },
    /// Several sources define what the program refers to.
    #[error("`{symbol}` is defined by {} and by {}: give the one that is meant as a further input, or name a target of the build with --target", first.display(), second.display())]
    Ambiguous {
        /// The symbol.
        symbol: String,
        /// One of them.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
    },
    /// Bitcode or IR text that LLVM refuses: cut short, damaged or malformed.
    #[error("{} is not a valid LLVM module (truncated or damaged?): {detail}", path.display())]
    InvalidBitcode {
        /// The input.
        path: PathBuf,
        /// What LLVM said.
        detail: String,
    },
    /// Bitcode of a newer LLVM.
    #[error("{} was written by another version of LLVM; Selvedge reads what LLVM 22 reads: {detail}", path.display())]
    OtherLlvm {
        /// The input.
        path: PathBuf,
        /// What LLVM said.
        detail: String,
    },
    /// The module is for a processor whose memory layout is not modelled.
    #[error("{} was compiled for `{triple}`; only x86-64 is supported", path.display())]
    OtherTarget {
        /// The input.
        path: PathBuf,
        /// Its target triple.
        triple: String,
    },
    /// An input is no file that could hold a program.
    #[error("{}: {reason}", path.display())]
    NotRegular {
        /// The input.
        path: PathBuf,
        /// What it is.
        reason: String,
    },
    /// LLVM crashed on the inputs, or did not end, in the process that reads them.
    #[error("reading {} failed: LLVM crashed or did not end: {detail}", names(paths))]
    Crashed {
        /// The input that was being read, or all of them.
        paths: Vec<PathBuf>,
        /// What it said, or how it ended.
        detail: String,
    },
    /// The process that reads modules could not be run.
    #[error("the process that reads modules could not be run: {0}")]
    ReaderIo(#[source] std::io::Error),
    /// The process that reads modules panicked: a defect of this program.
    #[error("the process that reads modules failed: {0}")]
    ReaderPanic(String),
    /// What the process that reads modules sent is no program: a defect of this program, or that
    /// process was taken over.
    #[error("the process that reads modules sent a malformed program: {0}")]
    Malformed(String),
    /// There is no LLVM 22.
    #[error("the library of LLVM 22 was not found; install it so that `libLLVM.so.22.1` can be loaded: {0}")]
    LlvmMissing(String),
    /// There is no clang 22.
    #[error("clang 22 was not found; install it so that `clang-22` (or a `clang` of version 22) is in PATH")]
    CompilerMissing,
    /// There is no rustc.
    #[error("rustc was not found; install Rust so that `rustc` is in PATH")]
    RustcMissing,
    /// The compiler did not accept an input.
    #[error("{} does not compile:\n{stderr}", path.display())]
    CompilerFailed {
        /// The input.
        path: PathBuf,
        /// What the compiler printed.
        stderr: String,
    },
    /// The compiler could not be run.
    #[error("the compiler could not be run: {0}")]
    CompilerIo(#[source] std::io::Error),
    /// The entry function is not defined.
    #[error("the program has no function `{entry}`; name another one with --entry{}", notes_below(.notes))]
    NoEntry {
        /// The name looked for.
        entry: String,
        /// Where it may be: what has no bitcode, and why.
        notes: Vec<String>,
    },
    /// Two inputs define one symbol.
    #[error("`{symbol}` is defined by more than one input")]
    DuplicateSymbol {
        /// The symbol.
        symbol: String,
    },
    /// The inputs cannot be linked for another reason.
    #[error("the inputs cannot be linked: {0}")]
    Link(String),
    /// The built-in model library is damaged: a defect of this build.
    #[error("the built-in model library cannot be read: {0}")]
    Library(String),
}

impl Error {
    /// Whether this is a defect of the program itself, not of its inputs or of what is installed.
    #[must_use]
    pub fn is_internal(&self) -> bool {
        matches!(
            self,
            Error::ReaderPanic(_) | Error::Malformed(_) | Error::Library(_)
        )
    }
}

fn names(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(", ")
}

/// Each note on a line of its own, below a message.
fn notes_below(notes: &[String]) -> String {
    notes.iter().map(|note| format!("\nnote: {note}")).collect()
}
