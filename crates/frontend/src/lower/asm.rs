//! Inline assembly: the idioms of concurrent C.

use super::function::{FnLower, Lower};
use crate::llvm::Value;

impl<'m> FnLower<'_, 'm, '_> {
    pub(super) fn assembly(&mut self, inst: Value<'m>, callee: Value<'m>) -> Lower<()> {
        let _ = inst;
        let (text, constraints) = callee.asm().ok_or("inline assembly")?;
        Err(format!("inline assembly `{}` ({constraints})", text.trim()))
    }
}
