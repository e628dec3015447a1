//! Coverage: the places of the program that some machine has reached.
//!
//! If the options request it, the compiler adds an instruction before the first code of each line
//! in each block, and one on each outcome of a branch (a piece of code at the function's end that
//! continues at the target). Executing it sets a bit, which no undo clears. So places that were
//! reached on the way to an execution that was cut off count, too. Each machine adds its bits to
//! those of its program when it is dropped. Code of the model library and of the system's headers
//! has no such places.

use selvedge_base::{FileId, StmtId};
use selvedge_ir::{FuncId, Module};
use serde::{Deserialize, Serialize};

/// A place that can be reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Point {
    /// The first code of a line in a block.
    Line(StmtId),
    /// One way out of a branch; the ways of one branch follow one another.
    Way {
        /// The branch.
        stmt: StmtId,
        /// Which way, from 0.
        number: u32,
    },
}

/// A set of places.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Reached(Vec<u64>);

impl Reached {
    pub(crate) fn with_room_for(points: usize) -> Reached {
        Reached(vec![0; points.div_ceil(64)])
    }

    #[inline]
    pub(crate) fn insert(&mut self, point: u32) {
        if let Some(word) = self.0.get_mut(point as usize / 64) {
            *word |= 1 << (point % 64);
        }
    }

    pub(crate) fn contains(&self, point: usize) -> bool {
        self.0
            .get(point / 64)
            .is_some_and(|word| word >> (point % 64) & 1 == 1)
    }

    /// Adds the places of another set.
    pub fn add(&mut self, other: &Reached) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(mine, theirs)| *mine |= theirs);
    }
}

/// Whether code of a function is looked at.
pub(crate) fn is_covered(module: &Module, func: FuncId) -> bool {
    !module.functions[func].library
}

/// Whether lines of a file are: not of the system's headers.
pub(crate) fn is_own(module: &Module, file: FileId) -> bool {
    module
        .files
        .get(file)
        .is_some_and(|path| !path.starts_with("/usr/"))
}
