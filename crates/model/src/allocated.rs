//! The memory that the program of a machine has allocated.

use crate::Machine;
use selvedge_base::{ContextId, StmtId, ThreadId};

/// Blocks of memory that were allocated at one statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// The statement.
    pub stmt: StmtId,
    /// The calling context of the first allocation.
    pub context: ContextId,
    /// The thread of the first allocation.
    pub thread: ThreadId,
    /// The total number of bytes.
    pub bytes: u64,
    /// The number of blocks.
    pub blocks: u64,
}

/// The memory that is allocated and not freed, in ascending order of statements.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Allocated {
    /// Blocks that no pointer leads to. A lost block stays lost.
    pub lost: Vec<Blocks>,
    /// All blocks, lost or not. Filled only if the process has ended or may end now.
    pub left: Vec<Blocks>,
}

/// A machine whose program allocates memory.
pub trait Allocates: Machine {
    /// The memory that is allocated in the present state. If the machine cannot decide whether a
    /// block is lost, it reports this itself, and the verdict is unknown.
    fn allocated(&self) -> Allocated;
}
