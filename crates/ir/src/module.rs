//! Modules: a whole linked program.

use crate::{FuncId, Function, GlobalId, Shape, ShapeId};
use selvedge_base::{FileId, IdVec, Span, StmtId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something with an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Symbol {
    /// A global variable.
    Global(GlobalId),
    /// A function.
    Func(FuncId),
}

/// Eight bytes of an initialiser that hold an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Relocation {
    /// Where in the global, in bytes.
    pub offset: u64,
    /// Whose address.
    pub symbol: Symbol,
    /// Added to it, in bytes.
    pub addend: i64,
}

/// A global variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Global {
    /// The linkage name.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// The initial bytes; may be shorter than `size`, the rest is zero. Ignored if `external`.
    pub init: Vec<u8>,
    /// Addresses within the initial bytes.
    pub relocations: Vec<Relocation>,
    /// Byte ranges `[start, end)` whose initial value is undefined.
    pub undefined: Vec<(u64, u64)>,
    /// Each thread has its own copy.
    pub thread_local: bool,
    /// Never written; a write is a memory error.
    pub constant: bool,
    /// Declared but defined nowhere (a few are modelled: `stdout`, `stderr`, `stdin`, `environ`).
    pub external: bool,
    /// Where it is defined.
    pub span: Span,
    /// Its type in the source, if that is known.
    pub shape: Option<ShapeId>,
}

/// A statement of the program as read: what findings and traces refer to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stmt {
    /// The function it is in.
    pub func: FuncId,
    /// Its number within the function, in the order of the bitcode.
    pub ordinal: u32,
    /// Where it is in the source.
    pub span: Span,
}

/// A linked program.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// Paths of the source files, as in the debug information.
    pub files: IdVec<FileId, String>,
    /// Types of the source.
    pub shapes: IdVec<ShapeId, Shape>,
    /// All statements.
    pub stmts: IdVec<StmtId, Stmt>,
    /// All global variables.
    pub globals: IdVec<GlobalId, Global>,
    /// All functions, defined and declared.
    pub functions: IdVec<FuncId, Function>,
    /// For each call that allocates memory: the type of what it allocates, as far as the source
    /// says it.
    pub made: BTreeMap<StmtId, ShapeId>,
    /// Global constructors in the order in which they run.
    pub constructors: Vec<FuncId>,
    /// Global destructors in the order in which they run.
    pub destructors: Vec<FuncId>,
}

impl Module {
    /// The function with this linkage name.
    pub fn function(&self, name: &str) -> Option<FuncId> {
        self.functions
            .iter_ids()
            .find(|(_, f)| f.name == name)
            .map(|(id, _)| id)
    }

    /// The global with this linkage name.
    pub fn global(&self, name: &str) -> Option<GlobalId> {
        self.globals
            .iter_ids()
            .find(|(_, g)| g.name == name)
            .map(|(id, _)| id)
    }
}
