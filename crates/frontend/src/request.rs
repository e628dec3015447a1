//! What a reader of modules is asked for, and why it refuses.

use serde::{Deserialize, Serialize};

/// The head of a request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Where the program begins.
    pub entry: String,
    /// Whether the model library is linked.
    pub library: bool,
    /// Whether there is symbolic input from outside.
    pub symbolic: bool,
    /// Whether there are peers for sockets.
    pub serving: bool,
    /// How much memory the reader may have, in bytes.
    pub memory: u64,
    /// How long it may compute, in seconds.
    pub seconds: u64,
    /// Symbols that machine code defines and that may have no bitcode.
    pub machine_code: Vec<String>,
    /// True if there may be more of them.
    pub open: bool,
    /// The modules: what they are, whether they are part of the program, and how many bytes.
    pub units: Vec<(Form, Role, u64)>,
}

/// The forms of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Form {
    /// Bitcode that our compiler made.
    Own,
    /// Bitcode that says of itself that our compiler made it, as part of a build.
    Recorded,
    /// Bitcode from another source.
    Bitcode,
    /// Text from another source.
    Text,
}

/// Whether a module is part of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Role {
    /// Always.
    Program,
    /// As a member of an archive: if the program refers to a symbol that it defines. The first such
    /// member is used.
    Archive,
    /// As a source of a build: like a member of an archive, but no second one may define the
    /// symbol.
    Database,
    /// As a part of the shared library with this number: always. Its definitions give way to those
    /// of the program, or of a library with a lower number.
    Library(u32),
    /// Definition by definition: those that the program needs, and no second one of a symbol. It is
    /// Rust's standard library, of which a small program needs a third.
    Definitions,
}

/// Why there is no program. Units are numbered as in the request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Refusal {
    /// There is no LLVM.
    NoLlvm(String),
    /// LLVM refuses the unit.
    Invalid(u32, String),
    /// The unit is for this target.
    Target(u32, String),
    /// Two units define a symbol.
    Duplicate(String),
    /// Two units define a symbol, and it is not known which of them is part of the program.
    Ambiguous(String, u32, u32),
    /// The units cannot be linked.
    Link(String),
    /// The entry is not defined.
    NoEntry,
    /// The model library cannot be read.
    Library(String),
}
