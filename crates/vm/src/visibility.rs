//! Which actions are scheduling points, as the options say it. The crate's file `visible.rs` asks.

use selvedge_base::StmtId;
use selvedge_model::MemoryOrder;
use std::collections::BTreeSet;

/// Which actions are scheduling points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visibility {
    /// Synchronisation and atomics only; plain accesses are recorded for the race detector.
    #[default]
    Sync,
    /// Every access to memory that another thread may reach.
    Memory,
}

impl Visibility {
    /// Whether accesses of this order are scheduling points, if others can run between them.
    #[inline]
    pub const fn includes(self, order: MemoryOrder) -> bool {
        !matches!(order, MemoryOrder::NotAtomic) || matches!(self, Visibility::Memory)
    }

    /// True if plain accesses are scheduling points, if other threads can run between them.
    #[inline]
    pub const fn includes_plain(self) -> bool {
        self.includes(MemoryOrder::NotAtomic)
    }
}

/// The statements that make scheduling points, if not all that the visibility selects do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Points {
    /// Of accesses to memory, including atomic ones, only those by these statements are scheduling
    /// points.
    pub accesses: BTreeSet<StmtId>,
    /// Lock and unlock operations by these statements are no scheduling points. If a scheduling
    /// point comes between them, the machine reports [`Unsupported`](selvedge_model::Unsupported)
    /// where the lock was taken.
    pub locks: BTreeSet<StmtId>,
}
