//! The names of operations in the text format: one table for each kind. The printer and the parser
//! use the same tables.

use crate::{AtomicOrder, BinOp, CastOp, FloatPred, IntPred, MinMax, OverflowOp, RmwOp, SatOp, Scalar, UnOp};
use std::fmt;

/// Whether a function with this name returns a second time when a jump to its context is made
/// (`setjmp`, C11 7.13).
pub fn returns_twice(name: &str) -> bool {
    matches!(name, "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp")
}

/// A function that waits until a word of memory has a value and then changes it, in one step:
/// `(word, when, then)`. The machine implements it. Only passes over the ir insert calls of it.
pub const CLAIM: &str = "__selvedge_claim";

/// A function that waits until none of some bits of a word of memory is set, and then adds to the
/// word, in one step: `(word, first, count, add, size)`, with the number of the lowest of these
/// bits, how many there are, a number of 64 bits, and the word's size in bytes. The machine
/// implements it. Only passes over the ir insert calls of it.
pub const CLAIM_BITS: &str = "__selvedge_claim_bits";

/// Functions that take a read-write lock that is a word of memory, for reading and for writing:
/// `(word, announces)`. The low 30 bits of the word are the number of readers, or all set for a
/// writer; bit 31: a writer waits, bit 30: a reader waits. The machine implements them
/// (`crates/vm/src/sync/claim_shared.rs`). Only passes over the ir insert calls of them.
pub const CLAIM_SHARED: &str = "__selvedge_claim_shared";
/// The one for writing; see [`CLAIM_SHARED`].
pub const CLAIM_EXCLUSIVE: &str = "__selvedge_claim_exclusive";

/// A function that removes the bits of threads that wait from such a word, after it has become
/// free: `(word, found)`, with what the word was then. The machine implements it. Only passes over
/// the ir insert calls of it.
pub const CLEAR_WAITING: &str = "__selvedge_clear_waiting";

/// A function that accesses such a word, whatever it is, and orders nothing: `(word, size)`. The
/// machine implements it. Only passes over the ir insert calls of it.
pub const TOUCH: &str = "__selvedge_touch";

/// `__selvedge_place(number)`: the thread comes to a place that a set of schedules orders.
pub const PLACE: &str = "__selvedge_place";

/// `__selvedge_behind()`: it has done what is there.
pub const BEHIND: &str = "__selvedge_behind";

/// A function that compares a word of 64 bits with a number and returns the number if they are
/// equal, and 0 otherwise: `(word, number)`. It is no action, so no other thread may change the
/// result. The machine implements it. Only passes over the ir insert calls of it.
pub const OWNS: &str = "__selvedge_owns";

/// `__selvedge_panics(text, length)`: the thread panics, and this is the message. The text stays
/// there until the process ends, or the panic is caught. Only passes over the ir insert calls of
/// it.
pub const PANICS: &str = "__selvedge_panics";

/// A function that begins a wait on a condition variable whose lock is a word of memory, and
/// returns when the wait is over: `(queue, word, timed)`. It makes the word 0, joins the queue of
/// the word `queue`, and waits, in one step. It returns 0, or `ETIMEDOUT`. The lock is not taken
/// again. The machine implements it. Only passes over the ir insert calls of it.
pub const WAIT_WITH_WORD: &str = "__selvedge_wait_with_word";

/// Functions that wake one thread, or all threads, in the queue of a word: `(word, most, 0,
/// private)`. The machine implements them.
pub const WAKE: [&str; 2] = ["__selvedge_futex_wake", "__selvedge_futex_wake_many"];

macro_rules! names {
    ($($ty:ident { $($variant:ident = $name:literal),+ $(,)? })+) => {$(
        impl $ty {
            /// All of them, in the order of declaration.
            pub const ALL: &'static [$ty] = &[$($ty::$variant),+];

            /// The name in the text format.
            pub const fn name(self) -> &'static str {
                match self {
                    $($ty::$variant => $name),+
                }
            }

            /// The one with this name in the text format.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some($ty::$variant),)+
                    _ => None,
                }
            }
        }

        impl fmt::Display for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )+};
}

// `BinOp`, `UnOp`, `CastOp` and `MinMax` are printed in the position of the mnemonic. So their
// names differ from one another and from the mnemonics of `parse/inst.rs`.
names! {
    BinOp {
        Add = "add", Sub = "sub", Mul = "mul", UDiv = "udiv", SDiv = "sdiv", URem = "urem", SRem = "srem",
        Shl = "shl", LShr = "lshr", AShr = "ashr", And = "and", Or = "or", Xor = "xor",
        FAdd = "fadd", FSub = "fsub", FMul = "fmul", FDiv = "fdiv", FRem = "frem",
        FMin = "fmin", FMax = "fmax", FCopySign = "fcopysign",
    }
    UnOp {
        FNeg = "fneg", FAbs = "fabs", FSqrt = "fsqrt", FFloor = "ffloor", FCeil = "fceil", FTrunc = "ftrunc",
        FRound = "fround", FRoundEven = "froundeven", Ctpop = "ctpop", Ctlz = "ctlz", Cttz = "cttz",
        Bswap = "bswap", BitReverse = "bitreverse", Abs = "abs", Freeze = "freeze",
    }
    CastOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext", FToU = "fptoui", FToS = "fptosi",
        FToUSat = "fptoui_sat", FToSSat = "fptosi_sat", UToF = "uitofp", SToF = "sitofp",
        FTrunc = "fptrunc", FExt = "fpext", Bitcast = "bitcast",
    }
    MinMax { SMin = "smin", SMax = "smax", UMin = "umin", UMax = "umax" }
    IntPred {
        Eq = "eq", Ne = "ne", Ult = "ult", Ule = "ule", Ugt = "ugt", Uge = "uge",
        Slt = "slt", Sle = "sle", Sgt = "sgt", Sge = "sge",
    }
    FloatPred {
        False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one", Ord = "ord",
        Uno = "uno", Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une", True = "true",
    }
    OverflowOp { SAdd = "sadd", UAdd = "uadd", SSub = "ssub", USub = "usub", SMul = "smul", UMul = "umul" }
    SatOp { SAdd = "sadd", UAdd = "uadd", SSub = "ssub", USub = "usub", SShl = "sshl", UShl = "ushl" }
    RmwOp {
        Xchg = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or", Xor = "xor",
        Max = "max", Min = "min", UMax = "umax", UMin = "umin",
        FAdd = "fadd", FSub = "fsub", FMax = "fmax", FMin = "fmin",
    }
    Scalar {
        Signed = "signed", Unsigned = "unsigned", Bool = "bool", Char = "char", Float = "float", Pointer = "pointer",
    }
    AtomicOrder {
        Relaxed = "relaxed", Acquire = "acquire", Release = "release", AcqRel = "acq_rel", SeqCst = "seq_cst",
    }
}
