//! Functions.

use crate::{BlockId, Inst, LocalId, Reg, ShapeId, Terminator, Type};
use selvedge_base::{IdVec, Span, StmtId};
use serde::{Deserialize, Serialize};

/// A basic block: instructions, then one terminator.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// The instructions in order.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub term: Terminator,
    /// The statement of the terminator.
    pub term_stmt: StmtId,
}

/// A virtual register.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RegInfo {
    /// Its type; every assignment has this type.
    pub ty: Type,
    /// The source variable it holds, if it is a promoted local.
    pub name: Option<String>,
    /// The variable's type in the source, if that is known.
    pub shape: Option<ShapeId>,
}

impl RegInfo {
    /// A register that holds no variable of the source.
    pub const fn unnamed(ty: Type) -> RegInfo {
        RegInfo {
            ty,
            name: None,
            shape: None,
        }
    }
}

/// A stack object.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Local {
    /// The source name, or empty.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Whether its life is bounded by `LifetimeStart`/`LifetimeEnd` rather than by the whole call.
    pub scoped: bool,
    /// Its type in the source, if that is known.
    pub shape: Option<ShapeId>,
}

/// A function, defined (with blocks) or only declared (without).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Function {
    /// The linkage name.
    pub name: String,
    /// The name for people: demangled.
    pub display: String,
    /// The registers that receive the flattened parameters.
    pub params: Vec<Reg>,
    /// The types of the flattened result.
    pub returns: Vec<Type>,
    /// Whether it takes variable arguments after `params`.
    pub varargs: bool,
    /// All registers.
    pub regs: IdVec<Reg, RegInfo>,
    /// All stack objects of fixed size.
    pub locals: IdVec<LocalId, Local>,
    /// The blocks; the first is the entry. Empty for a declaration.
    pub blocks: IdVec<BlockId, Block>,
    /// Where it is defined.
    pub span: Span,
    /// Whether it came from the model library (libc in bitcode) rather than from the user.
    pub library: bool,
}

impl Function {
    /// Whether there is a body.
    pub fn is_defined(&self) -> bool {
        !self.blocks.is_empty()
    }
}
