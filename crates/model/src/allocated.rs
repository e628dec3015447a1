//! What a machine says of the memory that its program has allocated.

use crate::Machine;
use selvedge_base::{ContextId, StmtId, ThreadId};

/// Blocks of memory that were allocated at one statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// The statement.
    pub stmt: StmtId,
    /// From where the first of them was allocated.
    pub context: ContextId,
    /// Who allocated that one.
    pub thread: ThreadId,
    /// How many bytes all of them have.
    pub bytes: u64,
    /// How many there are.
    pub blocks: u64,
}

/// The memory that is allocated and not freed, by statement in ascending order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Allocated {
    /// Blocks that no pointer leads to. They are lost for good.
    pub lost: Vec<Blocks>,
    /// If the process has ended, or may end now: all blocks, lost or not.
    pub left: Vec<Blocks>,
}

/// A machine whose program allocates memory.
pub trait Allocates: Machine {
    /// The memory that is allocated at the present state. What cannot be decided leaves the verdict
    /// open, and the machine sees to that itself.
    fn allocated(&self) -> Allocated;
}
