//! The φ-nodes of a block by its incoming edges. They are looked up once for each block, because
//! both may be many.

use crate::llvm::{Block, Opcode, Value};
use rustc_hash::FxHashMap;

/// The φ-nodes of a block.
pub(super) struct Phis<'m> {
    pub(super) nodes: Vec<Value<'m>>,
    /// For each block before it the values of all of them, in their order.
    pub(super) values: FxHashMap<Block<'m>, Vec<Value<'m>>>,
}

impl<'m> Phis<'m> {
    pub(super) fn of(block: Block<'m>) -> Phis<'m> {
        let mut phis = Phis {
            nodes: Vec::new(),
            values: FxHashMap::default(),
        };
        for phi in block.instructions() {
            if phi.opcode() != Some(Opcode::LLVMPHI) {
                break;
            }
            for (value, from) in phi.incoming() {
                let values = phis.values.entry(from).or_default();
                // A block may come before it more than once, always with one value.
                if values.len() == phis.nodes.len() {
                    values.push(value);
                }
            }
            phis.nodes.push(phi);
        }
        phis
    }
}
