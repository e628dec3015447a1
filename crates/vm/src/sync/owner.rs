//! Whether a thread owns a lock, where no other thread can change the answer. A pass over the ir
//! puts this in the place of an atomic read (`crates/analysis/src/rust_owners.rs`).

use super::lock_word::read;
use crate::native::{Cx, Flow, Native, Stop};
use selvedge_ir::OWNS;

/// The size of the word in bytes.
const SIZE: u64 = 8;

/// The model of this file: `__selvedge_owns(word, number)` returns the number if the word has that
/// value, and 0 otherwise.
pub(super) fn find(name: &str) -> Option<Native> {
    (name == OWNS).then_some(Native::Plain(|cx| owns(cx).unwrap_or_else(|stop| stop)))
}

fn owns(cx: &mut Cx<'_>) -> Result<Flow, Stop> {
    let (word, number) = (cx.word(0)?, cx.word(1)?);
    let owner = read(cx, (word, SIZE))?;
    Ok(Flow::word(if owner == number { number } else { 0 }))
}
