//! The intermediate representation: what the front end makes of LLVM bitcode and everything behind
//! it reads.
//!
//! A register machine, not SSA: a register may be assigned at several places, φ-nodes are copies on
//! the edges, scalar locals whose address never escapes are registers. First-class structs and
//! vectors are flattened into registers, so a call may have several results. Memory is
//! little-endian with 8-byte pointers (x86-64's data layout).
//!
//! Semantics of undefined values follow `docs/` (definedness): a register that was never assigned
//! is *undefined*.

mod build;
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
pub use comparison::Comparison;
pub use demangle::demangle;
pub use function::{Block, Function, Local, RegInfo};
pub use inst::{
    AtomicOrder, BinOp, Callee, CastOp, Clause, FloatPred, GepTerm, Inst, InstKind, IntPred, MinMax, Operand,
    OverflowOp, Pad, RmwOp, SatOp, Terminator, UnOp,
};
pub use module::{Global, Module, Relocation, Stmt, Symbol};
pub use names::{CLAIM, returns_twice};
pub use parse::{ParseError, parse};
pub use shape::{Field, Part, Parts, Scalar, Shape, fits, part};
pub use types::{BlockId, FuncId, GlobalId, LocalId, Reg, ShapeId, Type};
pub use verify::{Place, Problem, VerifyError, verify};
