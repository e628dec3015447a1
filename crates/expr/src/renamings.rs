//! What was computed to rename inputs, in an arena.

use crate::node::{Expr, InputId};
use rustc_hash::FxHashMap;
use selvedge_base::Digest;
use std::rc::Rc;

/// What renamings of one arena have computed, for later ones: most are the same as an earlier one.
#[derive(Default, Debug)]
pub(crate) struct Renamings {
    /// The inputs of an expression, in the order in which they are found.
    pub orders: FxHashMap<Expr, Rc<[InputId]>>,
    /// Hashes by the inputs that have numbers, in the order of these.
    pub hashes: FxHashMap<Box<[InputId]>, FxHashMap<Expr, Digest>>,
    /// How many hashes there are in all.
    pub count: usize,
}

/// Most orders that are kept, and most hashes.
pub(crate) const MOST: usize = 1 << 19;

impl Renamings {
    pub fn take(&mut self, sequence: &[InputId]) -> FxHashMap<Expr, Digest> {
        let hashes = self
            .hashes
            .get_mut(sequence)
            .map(std::mem::take)
            .unwrap_or_default();
        self.count -= hashes.len();
        hashes
    }

    pub fn give_back(&mut self, sequence: &[InputId], hashes: FxHashMap<Expr, Digest>) {
        if self.count + hashes.len() > MOST {
            self.hashes.clear();
            self.count = 0;
        }
        self.count += hashes.len();
        match self.hashes.get_mut(sequence) {
            Some(place) => *place = hashes,
            None => _ = self.hashes.insert(sequence.into(), hashes),
        }
    }
}
