//! The intermediate representation. The front end produces it from LLVM bitcode; all later stages
//! read it.
//!
//! It is a register machine, not SSA: a register may be assigned at several places. φ-nodes become
//! copies on the edges. Scalar locals whose address never escapes become registers. First-class
//! structs and vectors are flattened into registers, so a call may have several results. Memory is
//! little-endian with 8-byte pointers (x86-64's data layout).
//!
//! A register that was never assigned is *undefined*; `docs/semantics.md` defines undefined values.

mod build;
mod channel;
mod comparison;
mod demangle;
mod function;
mod inst;
mod module;
mod names;
mod parse;
mod print;
mod shape;
mod types;
mod verify;
mod visit;

pub use build::{FunctionBuilder, ModuleBuilder};
pub use channel::{CHANNEL, CHANNEL_TAIL, Until};
pub use comparison::Comparison;
pub use demangle::demangle;
pub use function::{Block, Function, Local, RegInfo};
pub use inst::{
    AtomicOrder, BinOp, Callee, CastOp, Clause, FloatPred, GepTerm, Inst, InstKind, IntPred, MinMax, Operand,
    OverflowOp, Pad, RmwOp, SatOp, Terminator, UnOp,
};
pub use module::{Global, Module, Relocation, Stmt, Symbol};
pub use names::{
    BEHIND, CLAIM, CLAIM_BITS, CLAIM_EXCLUSIVE, CLAIM_SHARED, CLEAR_WAITING, OWNS, PANICS, PLACE, TOUCH,
    WAIT_WITH_WORD, WAKE, returns_twice,
};
pub use parse::{ParseError, parse};
pub use shape::{Field, Part, Parts, Scalar, Shape, fits, part};
pub use types::{BlockId, FuncId, GlobalId, LocalId, Reg, ShapeId, Type};
pub use verify::{Place, Problem, VerifyError, verify};
