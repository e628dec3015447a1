//! Intrinsics that compute values from values, lane by lane.

use super::function::{FnLower, Lower};
use crate::llvm::Value;

impl<'m> FnLower<'_, 'm, '_> {
    pub(super) fn scalar_intrinsic(&mut self, _inst: Value<'m>, name: &str, _base: &str) -> Lower<()> {
        Err(format!("intrinsic `{name}`"))
    }
}
