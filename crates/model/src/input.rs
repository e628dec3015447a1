//! Inputs of the program under test: what `__VERIFIER_nondet_int`, `klee_make_symbolic` and their
//! kin return, symbolic arguments, and the bytes of symbolic files.

use selvedge_base::Location;

/// One input: one call of an input function, or one object that is an input as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// What the program calls it (`klee_make_symbolic`'s name), or the function that was called.
    /// What no call asks for is named `argv[1]`, `stdin`, `file:NAME`.
    pub name: String,
    /// The hierarchical name of the thread that asked for it. Each thread's inputs are counted by
    /// themselves, so they do not depend on how threads are interleaved.
    pub thread: String,
    /// The bytes of the object, as they lie in memory (little-endian).
    pub bytes: Vec<u8>,
    /// How the bytes are to be read.
    pub kind: InputKind,
    /// Where it was asked for; the default if no statement did.
    pub location: Location,
}

/// How an input's bytes are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// An integer.
    Scalar {
        /// Its width: 1 to 128.
        bits: u16,
        /// In two's complement.
        signed: bool,
    },
    /// An IEEE number of 32 or 64 bits.
    Float {
        /// Its width.
        bits: u16,
    },
    /// An object of whatever type.
    Bytes,
}
