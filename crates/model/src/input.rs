//! Inputs of the program under test: the results of `__VERIFIER_nondet_int`, `klee_make_symbolic`
//! and similar functions, symbolic arguments, and the bytes of symbolic files.

use selvedge_base::Location;
use serde::{Deserialize, Serialize};

/// One input: the result of one call of an input function, or one object that is an input as a
/// whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The program's name for it (the name given to `klee_make_symbolic`), or the name of the
    /// called function. An input that no call requests is named `argv[1]`, `stdin`, `file:NAME`.
    pub name: String,
    /// The hierarchical name of the thread that requested it. Inputs are counted for each thread
    /// separately, so their names do not depend on the interleaving.
    pub thread: String,
    /// The bytes of the object, as they lie in memory (little-endian).
    pub bytes: Vec<u8>,
    /// The interpretation of the bytes.
    pub kind: InputKind,
    /// The place that requested it; the default value if no statement did.
    pub location: Location,
}

impl Input {
    /// The name of the value that `freeze` gives, or that a variable in a register has before it is
    /// assigned.
    pub const UNDEFINED: &str = "undefined value";
    /// How the name of a value begins that memory has before it is written.
    pub const UNWRITTEN: &str = "uninitialised memory";

    /// Whether the program gets the value from no call, because it is what was there before. A
    /// compiled program cannot be given such a value.
    pub fn was_there(&self) -> bool {
        self.name == Self::UNDEFINED || self.name.starts_with(Self::UNWRITTEN)
    }
}

/// The interpretation of an input's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum InputKind {
    /// An integer.
    Scalar {
        /// The width, from 1 to 128.
        bits: u16,
        /// True if it is in two's complement.
        signed: bool,
    },
    /// An IEEE number of 32 or 64 bits.
    Float {
        /// The width.
        bits: u16,
    },
    /// An object of unknown type.
    Bytes,
}
