//! What a function is bound to.

use super::Program;
use crate::native::Native;
use selvedge_base::StmtId;
use selvedge_ir::FuncId;

/// What a function is bound to.
#[derive(Clone, Copy)]
pub(crate) enum Binding {
    /// Its compiled body.
    Code,
    /// Another function's body.
    Other(FuncId),
    /// A native model.
    Native(Native),
    /// Nothing.
    Missing,
}

/// The entry of a fuzz target.
pub(crate) const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";

/// The prefix of the names of the stand-ins of native models for symbolic values (frontend:
/// `library.rs`).
pub(super) const STAND_IN: &str = "__selvedge_symbolic_";

impl Program {
    /// Whether a statement is in the stand-in of a native model for symbolic values.
    pub fn in_stand_in(&self, stmt: StmtId) -> bool {
        self.module
            .stmts
            .get(stmt)
            .and_then(|s| self.module.functions.get(s.func))
            .is_some_and(|f| f.library && f.name.starts_with(STAND_IN))
    }
}
